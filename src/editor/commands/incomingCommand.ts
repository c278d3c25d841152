import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import type { AddressHistory } from '../addressHistory';
import type { Repositories } from '../chains/repositories';
import { addressOf, choosePath } from '../exchange/choosePath';
import { chooseRepository, type RepositoryArgument } from '../exchange/chooseRepository';
import { explained } from '../exchange/explained';
import { shownAddress } from '../exchange/shownAddress';
import type { EditorWire } from '../exchange/wireSettings';
import { IncomingDocuments, incomingScheme, openIncomingDiff } from '../incoming/incomingDocuments';
import type { IncomingNode } from '../incoming/incomingNode';
import { IncomingTree } from '../incoming/incomingTree';
import { dropFolder, incomingFolder, Listing } from '../incoming/listing';
import type { TransferRunner } from '../transfers/runTransfer';
import { shareOfPull } from '../transfers/shares';

/** What looking for incoming changesets needs of the editor. */
export interface IncomingServices {
  engine: Engine;
  runner: TransferRunner;
  wire: EditorWire;
  repositories: Repositories;
  history: AddressHistory;
  pull: (root: string, source: string) => Promise<void>;
}

/** *Incoming*: asks another repository what it has that is not here, and shows it in a view of its own. */
export class IncomingCommand implements vscode.Disposable {
  private readonly tree: IncomingTree;
  private readonly view: vscode.TreeView<IncomingNode>;
  private readonly parts: { dispose: () => unknown }[];

  constructor(private readonly services: IncomingServices) {
    this.tree = new IncomingTree(services.engine);
    this.view = vscode.window.createTreeView('deltascope.incoming', {
      treeDataProvider: this.tree,
      showCollapseAll: true,
    });
    this.parts = [
      this.view,
      this.tree,
      vscode.workspace.registerTextDocumentContentProvider(incomingScheme, new IncomingDocuments(services.engine)),
      this.onListing('deltascope.incoming.pull', ({ root, wanted }) => services.pull(root, wanted)),
      this.onListing('deltascope.incoming.refresh', ({ root, wanted }) => this.run(root, wanted)),
      this.onListing('deltascope.incoming.clear', ({ root }) => this.drop(root)),
      this.onListing('deltascope.incoming.showMore', (listing) => this.tree.showMore(listing)),
      vscode.commands.registerCommand('deltascope.incoming.copyNode', (node?: IncomingNode) =>
        node?.kind === 'changeset' ? vscode.env.clipboard.writeText(node.changeset.node) : undefined,
      ),
      vscode.commands.registerCommand('deltascope.incoming.openDiff', (node?: IncomingNode) =>
        node?.kind === 'file' ? openIncomingDiff(node) : undefined,
      ),
    ];
  }

  /** @param wanted an address, or the name of a path; asked for when it is not given and there are several */
  async run(given?: RepositoryArgument, wanted?: string): Promise<void> {
    const { repositories, history } = this.services;
    const title = vscode.l10n.t('Incoming');
    const root = await chooseRepository(repositories, title, given);
    if (root === undefined) return;
    const from = wanted ?? (await explained(() => choosePath(root, title, history.all)));
    if (from === undefined) return;
    const address = await explained(() => addressOf(root, from));
    if (address !== undefined) await this.look(root, from, shownAddress(address));
  }

  /** What was pulled is incoming no longer. */
  drop(root: string): void {
    this.tree.drop(root);
    this.tellCount();
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  private look(root: string, wanted: string, source: string): Promise<void> {
    const { engine, runner, wire } = this.services;
    return runner.run(
      {
        title: vscode.l10n.t('Looking for changesets for {0}', basename(root)),
        source,
        destination: root,
        share: shareOfPull,
        whatIsLeft: vscode.l10n.t('Nothing was changed.'),
        work: async (operation) => {
          const keepIn = incomingFolder();
          try {
            const settings = wire.settings(operation.signal);
            const found = await engine.incoming({ root, source: wanted, settings, keepIn }, operation);
            return new Listing(root, wanted, source, keepIn, found.changesets);
          } catch (error) {
            dropFolder(keepIn);
            throw error;
          }
        },
      },
      (listing) => {
        this.tree.show(listing);
        this.tellCount();
        void vscode.commands.executeCommand('deltascope.incoming.focus');
      },
    );
  }

  private tellCount(): void {
    const value = this.tree.all.reduce((sum, { changesets }) => sum + changesets.length, 0);
    this.view.badge = value === 0 ? undefined : { value, tooltip: vscode.l10n.t('{0} incoming changesets', value) };
    void vscode.commands.executeCommand('setContext', 'deltascope.hasIncoming', this.tree.all.length > 0);
  }

  /** Commands about a listing: that of a row, or the only one there is. */
  private onListing(command: string, act: (listing: Listing) => unknown): vscode.Disposable {
    return vscode.commands.registerCommand(command, (node?: IncomingNode) => {
      const listing = node !== undefined && 'listing' in node ? node.listing : this.tree.all.at(0);
      return listing === undefined ? undefined : act(listing);
    });
  }
}
