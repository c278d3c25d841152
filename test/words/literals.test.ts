import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { filesWithWords } from '../fixtures/filesWithWords';
import { untranslated } from '../fixtures/untranslated';
import { projectRoot } from '../testbed/cachedInstallation';

/** What is no text, or the same in every language. */
const allowed: { text: RegExp; why: string }[] = [
  { text: /^(Deltascope|Mercurial)$/, why: 'names' },
  { text: /^(by (offset|name)|base elsewhere|all|some|object)$/, why: 'what a column is filtered by, and kinds' },
  {
    text: /^(Compression|clone bundle|peak memory|nothing new|broken off)$/,
    why: 'names by which facts are looked up',
  },
  { text: /^(non delta: …|chain length = …: …)$/, why: 'lines that "git verify-pack" prints' },
  { text: /^(# v[23] git bundle|ref: refs\/heads\/main)$/, why: 'the beginnings of files' },
  {
    text: /^( ?the history is in the store folder|# Settings of this repository)/,
    why: 'what is written into repositories',
  },
  { text: /^<(!DOCTYPE html|script type)/, why: 'the frame of a page, whose title is given' },
];

/** Diagnostics are read by those who look after the extension, whatever the language of the one who copied them. */
const forMaintainers = join('src', 'editor', 'diagnostics');

const textsOf = (code: string) => untranslated(code).map(({ text }) => text);

describe('texts in the code', () => {
  it('all go through l10n.t', async () => {
    const left: string[] = [];
    for (const path of await filesWithWords()) {
      if (path.startsWith(forMaintainers)) continue;
      for (const { line, text } of untranslated(await readFile(join(projectRoot, path), 'utf8')))
        if (!allowed.some((one) => one.text.test(text))) left.push(`${path}:${line}: ${text}`);
    }
    assert.deepEqual(left, []);
  });

  const caught: [string, string, string[]][] = [
    ['a message', "void vscode.window.showErrorMessage('Failed')", ['Failed']],
    ['a button of a message', "showInformationMessage(l10n.t('Done.'), 'open')", ['open']],
    ['a property', "const options = { placeHolder: 'which', id: 'which' }", ['which']],
    ['an assignment', "item.tooltip = isOpen ? 'open' : l10n.t('closed')", ['open']],
    ['a row of a tree', 'new vscode.TreeItem(`${count} files`, Collapsed)', ['… files']],
    ['a list of words', "const kindWords = { base: 'whole', delta: l10n.t('delta') }", ['whole']],
    ['what a function of words gives', "const nodeWords = () => { return count > 1 ? 'many' : ''; }", ['many']],
    ['what is joined', "item.description = [l10n.t('new'), 'old'].filter(Boolean).join(' · ')", ['old']],
    ['what is put into a text', "l10n.t('{0} files', few ? 'few' : '12')", ['few']],
    ['a sentence anywhere', 'const why = `${name} cannot be read.`', ['… cannot be read.']],
    ['a heading that is handed on', "sharesView('Files', rows)", ['Files']],
    ['what an error of ours advises', "throw corruptError(l10n.t('Cut off.'), { advice: 'Pull' })", ['Pull']],
    ['text between tags', 'html`<p class="big">read ${count} of <b>them</b></p>`', ['read … of', 'them']],
    ['an expression between tags', "html`<p>${isDone ? 'done' : html`<b>running</b>`}</p>`", ['done', 'running']],
    ['beside what is compared', "html`<td>${kind === 'some' ? 'yes' : l10n.t('no')}</td>`", ['yes']],
    ['what is read out', 'html`<a title="go" aria-label=${`to ${name}`} href="page"></a>`', ['go', 'to …']],
  ];
  for (const [what, code, texts] of caught)
    it(`are found: ${what}`, () => assert.deepEqual(textsOf(code).sort(), texts.sort()));

  it('are told from what nobody reads', () => {
    const code = [
      "import { page } from 'the page'",
      "const kind: 'one kind' | 'other kind' = kindOf('view', 'view/title')",
      "if (state === 'broken off') log.info(`${title}: the client has gone`)",
      "throw new TypeError('a pack has objects')",
      "item.label = l10n.t('Files') + bytes + ' kB'",
      "html`<div class=${isOpen ? 'row open' : 'row'} @click=${() => send({ type: 'retry' })}>${l10n.t('Retry')}</div>`",
    ];
    assert.deepEqual(textsOf(code.join('\n')), []);
  });
});
