import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HgServer, runHg, temporaryDirectory, type TemporaryDirectory } from '../fixtures/hg';
import { hg, hgText } from '../fixtures/hgCommand';
import { violations } from '../testbed/accessibility';
import { explainFailures } from '../testbed/workbench/explainFailures';
import { sharedWorkbench } from '../testbed/workbench/sharedWorkbench';
import type { Workbench } from '../testbed/workbench/workbench';

const themes = ['light', 'hc-dark', 'dark'] as const;

describe('keeping a clone up to date', () => {
  let folder: TemporaryDirectory;
  let server: HgServer;
  let origin: string;
  let clone: string;
  let workbench: Workbench;

  before(async () => {
    folder = await temporaryDirectory('e2e-pull');
    origin = makeOrigin(join(folder.path, 'origin'));
    server = await HgServer.start(origin, { prefix: 'sample' });
    for (const name of ['clones', 'by-ssh']) mkdirSync(join(folder.path, name));
    clone = join(folder.path, 'clones', 'sample');
    workbench = await sharedWorkbench(join(folder.path, 'clones'), {
      'deltascope.ssh.path': askingSsh(join(folder.path, 'ssh')),
    });
  });
  explainFailures(() => workbench);
  after(async () => {
    await server.stop();
    await folder.remove();
  });

  it('clones by pull, and shows what was agreed and where the time went', async () => {
    await workbench.runCommand('Deltascope: Clone repository (pull)');
    await workbench.quickInput.waitFor('Address or path of a Mercurial repository');
    await workbench.quickInput.submit(server.url);
    await workbench.quickInput.chooseFolder('Choose a folder to clone into', join(folder.path, 'clones'), 'Clone here');
    await workbench.notifications.waitFor(/Cloned sample: 62 files checked out/);
    await workbench.openContainer('Deltascope');
    await workbench.treeRow('Transfers', /changegroup/).waitFor();
    await workbench.screenshot('pull-cloned');
    await assertClean(clone);
    assert.equal(hgText(clone, ['log', '-T', '{node} ']), hgText(origin, ['log', '-T', '{node} ']));
  });

  it('asks in the editor what ssh asks', async () => {
    const address = `ssh://ann@example.org/${origin}`;
    await workbench.runCommand('Deltascope: Clone repository (pull)');
    await workbench.quickInput.waitFor('Address or path of a Mercurial repository');
    await workbench.quickInput.submit(address);
    await workbench.quickInput.chooseFolder('Choose a folder to clone into', join(folder.path, 'by-ssh'), 'Clone here');
    const dialog = workbench.page.locator('.monaco-dialog-box');
    await dialog.getByText("The authenticity of host 'example.org' can't be established.").waitFor();
    await workbench.screenshot('ssh-host');
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await workbench.quickInput.waitFor('Enter passphrase for key');
    assert.equal(await workbench.quickInput.input.getAttribute('type'), 'password');
    await workbench.screenshot('ssh-passphrase');
    await workbench.quickInput.submit('open sesame');
    await workbench.notifications.waitFor(/Cloned origin/);
    await assertClean(join(folder.path, 'by-ssh', 'origin'));
  });

  it('lists what is incoming, and shows what it does to each file', async () => {
    appendFileSync(join(origin, 'readme.md'), 'one more line\n');
    writeFileSync(join(origin, 'src', 'added.ts'), 'export const added = true;\n');
    rmSync(join(origin, 'src', 'module59.ts'));
    hg(origin, [
      'commit',
      '-q',
      '-A',
      '-m',
      'say more\n\nand remove a module',
      '-u',
      'Ann <ann@example.org>',
      '-d',
      '1700000000 0',
    ]);
    appendFileSync(join(origin, 'picture.bin'), Buffer.of(0, 1, 2));
    hg(origin, ['commit', '-q', '-m', 'another picture', '-u', 'bob', '-d', '1700003600 0']);

    await workbench.runCommand('Deltascope: Incoming');
    const row = workbench.treeRow('Incoming', 'say more');
    await row.waitFor();
    assert.match((await workbench.treeRow('Incoming', /^sample/).textContent()) ?? '', /2 changesets/);
    await row.click();
    await workbench.treeRow('Incoming', 'module59.ts').waitFor();
    await workbench.treeRow('Incoming', 'readme.md').click();
    const diff = workbench.page.locator('.monaco-diff-editor');
    await diff.locator('.view-line', { hasText: 'one more line' }).first().waitFor();
    for (const theme of themes) {
      await workbench.setTheme(theme);
      await workbench.screenshot(`incoming-${theme}`);
    }
    await workbench.treeRow('Incoming', 'module59.ts').click();
    await diff.locator('.view-line', { hasText: 'export const value59' }).first().waitFor();
    assert.equal(hgText(clone, ['log', '-r', 'tip', '-T', '{desc}']), 'change module 12');
    await assertClean(clone);
  });

  it('pulls it by the button of its row', async () => {
    await workbench.treeRow('Incoming', /^sample/).hover();
    await workbench
      .treeRow('Incoming', /^sample/)
      .getByRole('button', { name: 'Pull incoming changesets' })
      .click();
    await workbench.notifications.waitFor(/2 new changesets in sample, 3 files/);
    await workbench.screenshot('pull-done');
    await workbench.treeRow('Incoming', 'say more').waitFor({ state: 'detached' });
    assert.equal(hgText(clone, ['log', '-r', 'tip', '-T', '{desc}']), 'another picture');
    await workbench.notifications.press(/2 new changesets/, 'Show report');
    const page = await workbench.webview('.phases');
    const text = (await page.locator('#page').textContent()) ?? '';
    assert.match(text, /On disk\s*\d/);
    assert.match(text, /changegroup/);
    await workbench.screenshot('pull-report');
  });

  it('verifies, and says what is wrong', async () => {
    await workbench.runCommand('Deltascope: Verify repository');
    const right = await workbench.notifications.waitFor(/Nothing is wrong with sample/);
    assert.match(right, /Checked 15 changesets, 15 manifests/);
    await workbench.screenshot('pull-verified');

    const filelog = join(clone, '.hg', 'store', 'data', 'readme.md.i');
    const whole = readFileSync(filelog);
    const damaged = Buffer.from(whole);
    damaged[damaged.length - 3] ^= 0xff;
    writeFileSync(filelog, damaged);
    await workbench.runCommand('Deltascope: Verify repository');
    await workbench.notifications.waitFor(/1 fault in sample/);
    await workbench.openContainer('Deltascope');
    await workbench.treeRow('Transfers', /readme\.md/).waitFor();
    await workbench.screenshot('pull-verified-damaged');
    writeFileSync(filelog, whole);
  });

  it('shows what is in a bundle file', async () => {
    appendFileSync(join(origin, 'readme.md'), 'by a bundle\n');
    hg(origin, ['commit', '-q', '-m', 'travels in a bundle', '-u', 'Ann <ann@example.org>', '-d', '1700007200 -3600']);
    hg(origin, ['bookmark', '-q', '-r', 'tip', 'carried']);
    const config = ['--config', 'experimental.bundle-phases=yes'];
    hg(origin, [
      'bundle',
      '-q',
      '--base',
      '0',
      '-r',
      'tip',
      '-t',
      'zstd-v2',
      ...config,
      join(folder.path, 'clones', 'changes.hg'),
    ]);

    await workbench.openContainer('Explorer');
    const row = workbench.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'changes.hg' });
    await row.dblclick();
    const page = await workbench.webview('.changesets');
    const text = (await page.locator('#page').textContent()) ?? '';
    assert.match(text, /Bundle of version 2 \(HG20\), compressed with zstd/);
    assert.match(text, /15 changesets, 15 manifests/);
    assert.match(text, /travels in a bundle\s*Ann\s*2023-11-15 01:13 \+0100\s*default\s*draft\s*1/);
    for (const theme of themes) {
      await workbench.setTheme(theme);
      await workbench.screenshot(`bundle-${theme}`);
      assert.deepEqual(await violations(page), []);
    }
    await page.locator('#filter input').fill('bob module 7');
    await page.getByText(/^1 of 15$/).waitFor();
    await page.getByText('change module 7').waitFor();
    await workbench.screenshot('bundle-filtered');
  });

  it('applies a bundle from the explorer, and updates when asked to', async () => {
    await workbench.openContainer('Explorer');
    const row = workbench.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'changes.hg' });
    await workbench.pickFromMenu(() => row.click({ button: 'right' }), 'Apply bundle');
    await workbench.notifications.waitFor(/1 new changeset in sample, 1 file/);
    await workbench.screenshot('bundle-applied');
    assert.equal(hgText(clone, ['log', '-r', 'tip', '-T', '{desc}']), 'travels in a bundle');
    assert.doesNotMatch(readFileSync(join(clone, 'readme.md'), 'utf8'), /by a bundle/);
    // Of messages that come faster than any person presses a button, the editor shows only the first few.
    await workbench.page.waitForTimeout(1_000);
    await workbench.notifications.press(/1 new changeset/, 'Update');
    await workbench.notifications.waitFor(/Updated sample to [0-9a-f]{12}: 4 files/);
    assert.match(readFileSync(join(clone, 'readme.md'), 'utf8'), /by a bundle/);
    assert.equal(hgText(clone, ['id', '-i']).trim(), hgText(clone, ['log', '-r', 'tip', '-T', '{node|short}']));
    await assertClean(clone);
  });

  it('pulls from the path that was chosen', async () => {
    const mirror = join(folder.path, 'mirror');
    hg(folder.path, ['clone', '-q', origin, mirror]);
    appendFileSync(join(mirror, 'readme.md'), 'from the mirror\n');
    hg(mirror, ['commit', '-q', '-m', 'known to the mirror', '-u', 'bob', '-d', '1700010800 0']);
    appendFileSync(join(clone, '.hg', 'hgrc'), `mirror = ${mirror}\n`);
    await workbench.runCommand('Deltascope: Pull');
    await workbench.quickInput.waitFor('From where?');
    await workbench.screenshot('pull-from-where');
    await workbench.quickInput.pick('mirror');
    await workbench.notifications.waitFor(/1 new changeset in sample, 1 file/);
    assert.equal(hgText(clone, ['log', '-r', 'tip', '-T', '{desc}']), 'known to the mirror');
    await assertClean(clone);
  });
});

function makeOrigin(root: string): string {
  hg('/', ['init', root]);
  mkdirSync(join(root, 'src'));
  for (let index = 0; index < 60; index++) {
    writeFileSync(join(root, 'src', `module${index}.ts`), `export const value${index} = ${index};\n`);
  }
  writeFileSync(join(root, 'readme.md'), '# Sample\n');
  writeFileSync(join(root, 'picture.bin'), Buffer.from(Array.from({ length: 2000 }, (_, at) => (at * 7) & 0xff)));
  hg(root, ['commit', '-q', '-A', '-m', 'begin', '-u', 'ann', '-d', '1600000000 0']);
  for (let round = 1; round <= 12; round++) {
    appendFileSync(join(root, 'src', `module${round}.ts`), `export const more${round} = ${round};\n`);
    hg(root, [
      'commit',
      '-q',
      '-m',
      `change module ${round}`,
      '-u',
      'bob',
      '-d',
      `${1600000000 + round * 86400} -7200`,
    ]);
  }
  return root;
}

/** A program that asks as ssh does, about a host it does not know and for a locked key, and runs the command here. */
function askingSsh(path: string): string {
  const lines = [
    '#!/bin/sh',
    `known=$("$SSH_ASKPASS" "The authenticity of host 'example.org' can't be established.`,
    'Are you sure you want to continue connecting (yes/no/[fingerprint])? ") || exit 255',
    '[ "$known" = yes ] || exit 255',
    `key=$("$SSH_ASKPASS" "Enter passphrase for key '/home/ann/.ssh/id_ed25519': ") || exit 255`,
    '[ "$key" = "open sesame" ] || { echo "Permission denied (publickey)." >&2; exit 255; }',
    'shift 2',
    'HGRCPATH= HGPLAIN=1 exec sh -c "$*"',
  ];
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o700 });
  return path;
}

async function assertClean(path: string): Promise<void> {
  assert.equal(hgText(path, ['status']), '');
  const { code, stderr } = await runHg(['verify', '-q', '-R', path]);
  assert.deepEqual([code, stderr], [0, '']);
}
