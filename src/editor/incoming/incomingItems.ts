import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { IncomingFile } from '../../engine/exchange/incomingFiles';
import { numberInWords } from '../words';
import { authorName, changesetTime, firstLine } from '../changesetWords';
import type { IncomingNode } from './incomingNode';
import type { Listing } from './listing';

/** The row of a repository. */
export function listingItem({ root, source, changesets }: Listing): vscode.TreeItem {
  const item = new vscode.TreeItem(basename(root), vscode.TreeItemCollapsibleState.Expanded);
  item.id = `incoming ${root}`;
  item.iconPath = new vscode.ThemeIcon('repo');
  item.description = changesetsInWords(changesets.length);
  item.tooltip = `${source} → ${root}`;
  item.contextValue = changesets.length > 0 ? 'incoming.some' : 'incoming.none';
  item.accessibilityInformation = { label: `${basename(root)}, ${item.description}` };
  return item;
}

/** The row of a changeset. */
export function changesetItem({ changeset, listing }: IncomingNode & { kind: 'changeset' }): vscode.TreeItem {
  const { node, user, date, branch, description, files, parents } = changeset;
  const item = new vscode.TreeItem(firstLine(description), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `incoming ${listing.folder} ${node}`;
  item.iconPath = new vscode.ThemeIcon(parents.length > 1 ? 'git-merge' : 'git-commit');
  item.description = [authorName(user), branch === 'default' ? '' : branch].filter(Boolean).join(' · ');
  item.contextValue = 'incoming.changeset';
  const text = new vscode.MarkdownString();
  text.appendText(description).appendMarkdown('\n\n---\n\n').appendText(user).appendMarkdown('\n\n');
  text.appendText([changesetTime(date), branch, filesInWords(files.length)].join(' · '));
  text.appendMarkdown('\n\n').appendMarkdown(`\`${node}\``);
  item.tooltip = text;
  return item;
}

const icons: Record<IncomingFile['change'], [icon: string, colour: string]> = {
  added: ['diff-added', 'gitDecoration.addedResourceForeground'],
  modified: ['diff-modified', 'gitDecoration.modifiedResourceForeground'],
  removed: ['diff-removed', 'gitDecoration.deletedResourceForeground'],
};

/** The row of a file; a click opens its differences. */
export function fileItem(node: IncomingNode & { kind: 'file' }): vscode.TreeItem {
  const { file, listing, changeset } = node;
  const path = shownPath(file);
  const item = new vscode.TreeItem(basename(path));
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  item.id = `incoming ${listing.folder} ${changeset.node} ${file.path}`;
  item.description = folder;
  const [icon, colour] = icons[file.change];
  item.iconPath = new vscode.ThemeIcon(icon, new vscode.ThemeColor(colour));
  item.tooltip = `${path} · ${changeInWords(file.change)}`;
  item.contextValue = 'incoming.file';
  item.accessibilityInformation = { label: `${path}, ${changeInWords(file.change)}` };
  item.command = {
    command: 'deltascope.incoming.openDiff',
    title: vscode.l10n.t('Open differences'),
    arguments: [node],
  };
  return item;
}

/** The row that shows more. */
export function moreItem(listing: Listing): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t('Show more: {0} are left', numberInWords(listing.hidden)));
  item.iconPath = new vscode.ThemeIcon('ellipsis');
  item.command = {
    command: 'deltascope.incoming.showMore',
    title: vscode.l10n.t('Show more'),
    arguments: [{ kind: 'more', listing }],
  };
  return item;
}

/** A path in UTF-8. */
export function shownPath({ path }: Pick<IncomingFile, 'path'>): string {
  return Buffer.from(path, 'latin1').toString();
}

function changesetsInWords(count: number): string {
  if (count === 0) return vscode.l10n.t('nothing new');
  return count === 1 ? vscode.l10n.t('1 changeset') : vscode.l10n.t('{0} changesets', numberInWords(count));
}

function filesInWords(count: number): string {
  return count === 1 ? vscode.l10n.t('1 file') : vscode.l10n.t('{0} files', numberInWords(count));
}

function changeInWords(change: IncomingFile['change']): string {
  switch (change) {
    case 'added':
      return vscode.l10n.t('added');
    case 'modified':
      return vscode.l10n.t('modified');
    case 'removed':
      return vscode.l10n.t('removed');
  }
}
