import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { hg, hgText } from '../fixtures/hgCommand';

describe('delta chains in the editor', () => {
  let root: string;

  before(() => {
    const folder = vscode.workspace.workspaceFolders?.[0].uri.fsPath;
    assert.ok(folder);
    hg(folder, ['init', 'chains']);
    root = join(folder, 'chains');
    for (let commit = 0; commit < 3; commit++) {
      appendFileSync(join(root, 'text.ts'), `line ${commit}\n`);
      hg(root, ['commit', '-qAm', `change ${commit}`, '-d', '0 0', '-u', 'test']);
    }
  });

  it('come in place of the bytes of an index in a store', async () => {
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(join(root, '.hg/store/00changelog.i')));
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    assert.ok(input instanceof vscode.TabInputCustom);
    assert.equal(input.viewType, 'deltascope.revlog');
  });

  it('open as a report by command, for the subject of a report and for a file', async () => {
    const index = join(root, '.hg/store/data/text.ts.i');
    for (const of of [{ kind: 'revlog', index, name: 'text.ts', repository: root }, vscode.Uri.file(index)]) {
      await vscode.commands.executeCommand('deltascope.showChains', of);
      await tabNamed('Chains: text.ts');
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    }
  });

  it('give the texts that hg debugdata gives, in a document of their language that cannot be written to', async () => {
    const index = join(root, '.hg/store/data/text.ts.i');
    const subject = { kind: 'revlog', index, name: 'text.ts', repository: root };
    await vscode.commands.executeCommand('deltascope.openRevisionText', subject, 1);
    const { document } = vscode.window.activeTextEditor ?? {};
    assert.ok(document);
    assert.equal(document.getText(), hg(root, ['debugdata', 'text.ts', '1']).toString());
    assert.equal(document.languageId, 'typescript');
    assert.equal(document.uri.scheme, 'deltascope-revision');
    assert.equal(vscode.workspace.fs.isWritableFileSystem('deltascope-revision'), undefined);
  });

  it('give the text of a manifest, with its zero bytes', async () => {
    const index = join(root, '.hg/store/00manifest.i');
    const subject = { kind: 'revlog', index, name: 'manifest', repository: root };
    await vscode.commands.executeCommand('deltascope.openRevisionText', subject, 2);
    assert.equal(vscode.window.activeTextEditor?.document.getText(), `${hgText(root, ['debugdata', '-m', '2'])}\n`);
  });

  it('say in words what cannot be read', async () => {
    const index = join(root, '.hg/store/data/text.ts.i');
    const subject = { kind: 'revlog', index, name: 'text.ts', repository: root };
    await vscode.commands.executeCommand('deltascope.openRevisionText', subject, 99);
    assert.match(vscode.window.activeTextEditor?.document.getText() ?? '', /cannot be shown/);
  });
});

/** Waits until a tab of this name is open. */
async function tabNamed(label: string): Promise<void> {
  const isThere = () => vscode.window.tabGroups.all.some(({ tabs }) => tabs.some((tab) => tab.label === label));
  if (isThere()) return;
  await new Promise<void>((resolve) => {
    const subscription = vscode.window.tabGroups.onDidChangeTabs(() => {
      if (!isThere()) return;
      subscription.dispose();
      resolve();
    });
  });
}
