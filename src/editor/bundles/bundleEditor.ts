import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import { EngineError } from '../../engine/io/errors';
import type { FromBundle, ToBundle } from '../../protocol/bundlePage';
import type { Repositories } from '../chains/repositories';
import { authorName, changesetTime, firstLine } from '../changesetWords';
import { showPage } from '../reports/webviewPage';

/** What the viewer of bundles needs of the editor. */
export interface BundleServices {
  extension: vscode.Uri;
  engine: Engine;
  repositories: Repositories;
  log: vscode.LogOutputChannel;
}

/** Opens `.hg` files, read-only: parts and changesets of a bundle. */
export class BundleEditor implements vscode.CustomReadonlyEditorProvider {
  constructor(private readonly services: BundleServices) {}

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => undefined };
  }

  resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): void {
    new ShownBundle(uri, panel, this.services);
  }
}

/** One bundle on the screen. */
class ShownBundle {
  private readonly stop = new AbortController();

  constructor(
    private readonly uri: vscode.Uri,
    private readonly panel: vscode.WebviewPanel,
    private readonly services: BundleServices,
  ) {
    panel.webview.onDidReceiveMessage((message: FromBundle) => void this.answer(message));
    panel.onDidDispose(() => this.stop.abort());
    showPage(panel.webview, services.extension, 'bundle', basename(uri.fsPath));
  }

  private async answer(message: FromBundle): Promise<void> {
    switch (message.type) {
      case 'ready':
      case 'retry':
        return this.send();
      case 'apply':
        await vscode.commands.executeCommand('deltascope.applyBundle', this.uri);
        return;
      case 'copy':
        return vscode.env.clipboard.writeText(message.text);
    }
  }

  private async send(): Promise<void> {
    const { engine, log } = this.services;
    const path = this.uri.fsPath;
    let told = 0;
    try {
      const contents = await engine.readBundle(
        { path, repositories: await this.nearbyRepositories() },
        {
          signal: this.stop.signal,
          log: (level, text) => log[level](text),
          progress: (event) => {
            const now = performance.now();
            if (event.type !== 'phase' || now - told < 100) return;
            told = now;
            this.post({ type: 'progress', done: event.done, total: event.total });
          },
        },
      );
      const changesets = contents.changesets.map((changeset) => ({
        ...changeset,
        summary: firstLine(changeset.description),
        author: authorName(changeset.user),
        when: changesetTime(changeset.date),
      }));
      this.post({ type: 'contents', contents: { ...contents, title: basename(path), changesets } });
    } catch (error) {
      if (error instanceof EngineError && error.kind === 'cancelled') return;
      const text = error instanceof Error ? error.message : String(error);
      log.error(`${basename(path)}: ${text}`);
      this.post({ type: 'failed', message: text, advice: error instanceof EngineError ? error.advice : undefined });
    }
  }

  /** Those of the window, and those above the file, for a bundle that builds on one of them. */
  private async nearbyRepositories(): Promise<string[]> {
    const shown = (await this.services.repositories.all()).filter(({ kind }) => kind === 'hg').map(({ root }) => root);
    const above: string[] = [];
    for (let at = dirname(this.uri.fsPath); above.at(-1) !== at; at = dirname(at)) above.push(at);
    return [...new Set([...shown, ...above])];
  }

  private post(message: ToBundle): void {
    if (!this.stop.signal.aborted) void this.panel.webview.postMessage(message);
  }
}
