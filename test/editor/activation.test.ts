import assert from 'node:assert/strict';
import * as vscode from 'vscode';

interface Manifest {
  contributes: { commands: { command: string; title: string }[] };
}

describe('the extension in the editor', () => {
  const extension = vscode.extensions.getExtension<unknown>('deltascope.deltascope');

  it('is there, and sleeps until it is needed', () => {
    assert.ok(extension);
    assert.equal(extension.isActive, false);
  });

  it('wakes up, with all the commands that its manifest promises', async () => {
    assert.ok(extension);
    await extension.activate();
    const registered = new Set(await vscode.commands.getCommands(true));
    const { commands } = (extension.packageJSON as Manifest).contributes;
    assert.deepEqual(
      commands.map(({ command }) => command).filter((command) => !registered.has(command)),
      [],
    );
    // The editor has put words in place of the keys of the manifest.
    assert.deepEqual(
      commands.filter(({ title }) => title.includes('%')),
      [],
    );
  });
});
