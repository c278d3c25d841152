import { homedir, release } from 'node:os';
import * as vscode from 'vscode';
import type { Transfers } from '../transfers/transfers';
import { diagnosticsText } from './diagnosticsText';
import type { RecentLines } from './recentLines';

/** Settings of the editor that decide about connections. */
const settingsOfOthers = ['http.proxy', 'http.proxySupport', 'http.proxyStrictSSL', 'http.systemCertificates'];

/** *Copy diagnostics*: puts what helps to explain a failure onto the clipboard. */
export async function copyDiagnostics(
  extension: vscode.Extension<unknown>,
  transfers: Transfers,
  lines: RecentLines,
): Promise<void> {
  const { packageJSON } = extension as { packageJSON: Manifest };
  const own = Object.keys(packageJSON.contributes.configuration.properties);
  const text = diagnosticsText({
    versions: {
      Deltascope: packageJSON.version,
      [vscode.env.appName]: vscode.version,
      'Extension host': `Node ${process.versions.node}, ${process.platform} ${process.arch} ${release()}`,
      Window: `${vscode.env.remoteName ?? 'local'}, ${vscode.env.uiKind === vscode.UIKind.Web ? 'web' : 'desktop'}`,
      Language: vscode.env.language,
      'Workspace trusted': String(vscode.workspace.isTrusted),
    },
    settings: changedSettings([...own, ...settingsOfOthers]),
    transfers: transfers.all,
    lines: lines.all,
    home: homedir(),
  });
  await vscode.env.clipboard.writeText(text);
  void vscode.window.showInformationMessage(
    vscode.l10n.t(
      'Diagnostics are on the clipboard, without user names and passwords. Read them before you share them.',
    ),
  );
}

interface Manifest {
  version: string;
  contributes: { configuration: { properties: Record<string, unknown> } };
}

function changedSettings(names: readonly string[]): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration();
  const changed = names.filter((name) => {
    const { defaultValue, globalValue, workspaceValue, workspaceFolderValue } = configuration.inspect(name) ?? {};
    return [globalValue, workspaceValue, workspaceFolderValue].some(
      (value) => value !== undefined && value !== defaultValue,
    );
  });
  return Object.fromEntries(changed.map((name) => [name, configuration.get(name)]));
}
