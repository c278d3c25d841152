import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import type { IncomingFile } from '../../engine/exchange/incomingFiles';
import { unattended } from '../../engine/io/operation';
import { nullNode } from '../../engine/revlog/node';
import { changesetItem, fileItem, listingItem, moreItem } from './incomingItems';
import type { IncomingNode } from './incomingNode';
import type { Listing } from './listing';

/** The *Incoming* tree: for each repository that was asked about its changesets, and their files. */
export class IncomingTree implements vscode.TreeDataProvider<IncomingNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<IncomingNode | undefined>();
  private listings: Listing[] = [];
  private readonly files = new WeakMap<object, Promise<IncomingFile[]>>();

  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly engine: Engine) {}

  get all(): readonly Listing[] {
    return this.listings;
  }

  /** Shows a listing, in the place of an earlier one of the same repository. */
  show(listing: Listing): void {
    this.drop(listing.root);
    this.listings = [...this.listings, listing];
    this.changed.fire(undefined);
  }

  /** Takes away what was incoming for a repository; without one, everything. */
  drop(root?: string): void {
    for (const listing of this.listings) if (root === undefined || listing.root === root) listing.dispose();
    this.listings = root === undefined ? [] : this.listings.filter((listing) => listing.root !== root);
    this.changed.fire(undefined);
  }

  showMore(listing: Listing): void {
    listing.showMore();
    this.changed.fire(undefined);
  }

  async getChildren(node?: IncomingNode): Promise<IncomingNode[]> {
    if (node === undefined) return this.listings.map((listing) => ({ kind: 'listing', listing }));
    if (node.kind === 'listing') return changesetsOf(node.listing);
    return node.kind === 'changeset' ? this.filesOf(node) : [];
  }

  getTreeItem(node: IncomingNode): vscode.TreeItem {
    switch (node.kind) {
      case 'listing':
        return listingItem(node.listing);
      case 'changeset':
        return changesetItem(node);
      case 'file':
        return fileItem(node);
      case 'more':
        return moreItem(node.listing);
      case 'notice': {
        const item = new vscode.TreeItem(node.text);
        item.iconPath = new vscode.ThemeIcon(node.icon);
        item.tooltip = node.text;
        return item;
      }
    }
  }

  dispose(): void {
    this.drop();
    this.changed.dispose();
  }

  private async filesOf(node: IncomingNode & { kind: 'changeset' }): Promise<IncomingNode[]> {
    const { changeset, listing } = node;
    const { root, folder } = listing;
    const parent = changeset.parents.at(0) ?? nullNode;
    try {
      let reading = this.files.get(changeset);
      if (reading === undefined) {
        reading = this.engine.listIncomingFiles({ root, folder, node: changeset.node, parent }, unattended);
        this.files.set(changeset, reading);
      }
      const files = await reading;
      if (files.length === 0) return [{ kind: 'notice', text: vscode.l10n.t('No files'), icon: 'info' }];
      return files.map((file) => ({ kind: 'file', file, changeset, listing }));
    } catch (error) {
      this.files.delete(changeset);
      return [{ kind: 'notice', text: error instanceof Error ? error.message : String(error), icon: 'error' }];
    }
  }
}

function changesetsOf(listing: Listing): IncomingNode[] {
  const rows: IncomingNode[] = listing.shown.map((changeset) => ({ kind: 'changeset', changeset, listing }));
  if (rows.length === 0) return [{ kind: 'notice', text: vscode.l10n.t('Nothing new'), icon: 'check' }];
  return listing.hidden > 0 ? [...rows, { kind: 'more', listing }] : rows;
}
