import { getL10nJson, type l10nJsonFormat } from '@vscode/l10n-dev';
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../testbed/cachedInstallation';
import { filesWithWords } from '../fixtures/filesWithWords';

type Texts = Record<string, string>;

const read = (path: string) => readFile(join(projectRoot, path), 'utf8');
const readTexts = async (path: string) => JSON.parse(await read(path)) as Texts;

/** The texts in the code, under the keys that they have in a bundle. */
async function textsInCode(): Promise<Texts> {
  const files = await Promise.all((await filesWithWords()).map(read));
  const contents = [...new Set(files.flatMap(translating))].join('\n');
  const found: l10nJsonFormat = await getL10nJson([{ extension: '.ts', contents }]);
  return Object.fromEntries(
    Object.entries(found).map(([key, text]) => [key, typeof text === 'string' ? text : text.message]),
  );
}

/** What of a file's code is about texts, which is looked through in less time than all of it. */
function translating(code: string): string[] {
  const file = ts.createSourceFile('code.ts', code, ts.ScriptTarget.Latest, true);
  const imports = file.statements.filter((one) => ts.isImportDeclaration(one) && one.getText().includes('vscode'));
  const calls: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /(^|\.)t$/.test(node.expression.getText())) calls.push(node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return [...imports, ...calls].map((node) => `${node.getText()};`);
}

/** The languages besides English, by the names of their files. */
async function languages(folder: string, name: RegExp): Promise<string[]> {
  return (await readdir(join(projectRoot, folder))).flatMap((file) => name.exec(file)?.[1] ?? []);
}

const placesIn = (text: string) => [...text.matchAll(/\{\d+\}/g)].map(([place]) => place).sort();
const commandsIn = (text: string) => [...text.matchAll(/\]\(command:[^)]+\)/g)].map(([link]) => link);

/** A translation has every text, no others, and in each the same places, lines and commands. */
function checkTranslation(original: Texts, translation: Texts): void {
  const [wanted, had] = [Object.keys(original), Object.keys(translation)];
  assert.deepEqual(
    wanted.filter((key) => !had.includes(key)),
    [],
    'not translated',
  );
  assert.deepEqual(
    had.filter((key) => !wanted.includes(key)),
    [],
    'translated, but nowhere to be read',
  );
  for (const key of wanted) {
    const [from, to] = [original[key], translation[key]];
    assert.notEqual(to.trim(), '', key);
    assert.deepEqual(placesIn(to), placesIn(from), key);
    assert.deepEqual(commandsIn(to), commandsIn(from), key);
    assert.equal(to.split('\n').length, from.split('\n').length, key);
  }
}

describe('languages', () => {
  it('are complete for what the code says', async () => {
    const original = await textsInCode();
    const known = await languages('l10n', /^bundle\.l10n\.(.+)\.json$/);
    assert.ok(known.includes('de'));
    for (const language of known) checkTranslation(original, await readTexts(`l10n/bundle.l10n.${language}.json`));
  });

  it('are complete for what the manifest says', async () => {
    const original = await readTexts('package.nls.json');
    const known = await languages('.', /^package\.nls\.(.+)\.json$/);
    assert.deepEqual(known, await languages('l10n', /^bundle\.l10n\.(.+)\.json$/));
    for (const language of known) checkTranslation(original, await readTexts(`package.nls.${language}.json`));
  });

  it('have every text that the manifest names, and the manifest names every one', async () => {
    const manifest = await read('package.json');
    const named = [...manifest.matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key);
    assert.deepEqual([...new Set(named)].sort(), Object.keys(await readTexts('package.nls.json')).sort());
  });

  it('come with the package', async () => {
    const { files, l10n } = JSON.parse(await read('package.json')) as { files: string[]; l10n: string };
    assert.equal(l10n, './l10n');
    assert.ok(files.includes('l10n'));
    for (const language of await languages('l10n', /^bundle\.l10n\.(.+)\.json$/))
      assert.ok(files.includes(`package.nls.${language}.json`), language);
  });

  it('are held to that: a missing text, a lost place and one too many are found', () => {
    const original = { 'Cloned {0}.': 'Cloned {0}.' };
    assert.throws(() => checkTranslation(original, {}), /not translated/);
    assert.throws(() => checkTranslation(original, { 'Cloned {0}.': 'Geklont.' }), /Cloned/);
    assert.throws(() => checkTranslation(original, { 'Cloned {0}.': '{0} geklont.', Open: 'Öffnen' }), /nowhere/);
    checkTranslation(original, { 'Cloned {0}.': '{0} geklont.' });
  });
});
