import { basename } from 'node:path';
import * as vscode from 'vscode';
import { chainRow } from '../../engine/revlog/chainColumns';
import { summarizeEntry } from '../../engine/pack/packSummary';
import { bytesInWords, numberInWords } from '../words';
import type {
  ChainNode,
  FindingNode,
  GroupNode,
  OptimizationNode,
  PackNode,
  RepositoryNode,
  RevisionNode,
  RevlogNode,
  StoredChainNode,
} from './chainNode';
import {
  compressionInWords,
  deltaInWords,
  deltasInWords,
  escape,
  findingsInMarkdown,
  healthInWords,
  objectsInWords,
  orderInWords,
  revisionsInWords,
} from './chainWords';
import { findingsAbout, healthOf, type Health } from './health';
import type { FileListing } from './repositoryNodes';
import { memberCount } from './storedChains';

const { Collapsed, None } = vscode.TreeItemCollapsibleState;

/** A node as the editor draws it. */
export function chainItem(node: ChainNode, listing: FileListing): vscode.TreeItem {
  const item = bareItem(node, listing);
  item.id = node.id;
  const description = typeof item.description === 'string' ? `, ${item.description}` : '';
  item.accessibilityInformation ??= { label: `${labelOf(item)}${description}` };
  return item;
}

function bareItem(node: ChainNode, listing: FileListing): vscode.TreeItem {
  switch (node.kind) {
    case 'repository':
      return repositoryItem(node);
    case 'group':
      return groupItem(node, listing);
    case 'revlog':
      return revlogItem(node);
    case 'pack':
      return packItem(node);
    case 'chain':
      return storedChainItem(node);
    case 'revision':
      return 'reading' in node.read ? revisionItem(node) : objectItem(node);
    case 'finding':
      return findingItem(node);
    case 'optimization':
      return optimizationItem(node);
    case 'notice': {
      const item = new vscode.TreeItem(node.message);
      item.iconPath = node.isError ? healthIcon('damaged') : new vscode.ThemeIcon('circle-slash');
      item.tooltip = node.message;
      if (node.canRetry)
        item.command = { command: 'deltascope.chains.retry', title: vscode.l10n.t('Look again'), arguments: [node] };
      return item;
    }
    case 'more': {
      const item = new vscode.TreeItem(vscode.l10n.t('Show 100 more…'));
      item.description = vscode.l10n.t('{0} left', numberInWords(node.left));
      item.iconPath = new vscode.ThemeIcon('ellipsis');
      item.command = { command: 'deltascope.chains.showMore', title: labelOf(item), arguments: [node] };
      return item;
    }
  }
}

function repositoryItem({ repository, survey }: RepositoryNode): vscode.TreeItem {
  const item = new vscode.TreeItem(basename(repository.root) || repository.root, Collapsed);
  item.contextValue = `repository.${repository.kind}${repository.isOpened === true ? '.opened' : ''}`;
  item.iconPath = new vscode.ThemeIcon('repo');
  if (survey === undefined) {
    item.description = repository.kind === 'git' ? vscode.l10n.t('Git packs') : '';
    item.tooltip = repository.root;
    return item;
  }
  const { revlogs } = survey;
  const health = healthOf(survey.findings);
  const total = (column: Float64Array) => column.reduce((sum, value) => sum + value, 0);
  item.iconPath = healthIcon(health);
  item.description = [bytesInWords(total(revlogs.diskBytes)), healthInWords(health)].join(' · ');
  item.tooltip = tooltip(
    `**${escape(repository.root)}**`,
    vscode.l10n.t(
      '{0} revlogs, {1} on disk for {2} of texts; about {3} could be saved',
      numberInWords(revlogs.count),
      bytesInWords(total(revlogs.diskBytes)),
      bytesInWords(total(revlogs.textBytes)),
      bytesInWords(total(revlogs.waste)),
    ),
    findingsInMarkdown(findingsAbout(survey)) || findingsInMarkdown(survey.findings),
  );
  return item;
}

function groupItem({ group, rows, survey }: GroupNode, { order, filter }: FileListing): vscode.TreeItem {
  const isFiles = group === 'files';
  const item = new vscode.TreeItem(isFiles ? vscode.l10n.t('Files') : vscode.l10n.t('Manifests'), Collapsed);
  const bytes = rows.reduce((sum, at) => sum + survey.revlogs.diskBytes[at], 0);
  const filtered = isFiles && filter !== '' ? [vscode.l10n.t('with “{0}”', filter)] : [];
  item.description = [
    numberInWords(rows.length),
    bytesInWords(bytes),
    ...(isFiles ? [orderInWords(order)] : []),
    ...filtered,
  ].join(' · ');
  item.iconPath = new vscode.ThemeIcon(isFiles ? 'files' : 'list-tree');
  item.contextValue = `group.${group}`;
  return item;
}

function revlogItem({ source, row, findings }: RevlogNode): vscode.TreeItem {
  const health = row.faults < 0 ? 'damaged' : healthOf(findings);
  const item = new vscode.TreeItem(source.name, Collapsed);
  item.iconPath = healthIcon(health);
  item.description = [
    bytesInWords(row.diskBytes),
    healthInWords(health),
    row.faults < 0 ? vscode.l10n.t('cannot be read') : revisionsInWords(row.revisions),
  ].join(' · ');
  item.contextValue = `revlog.${row.role}`;
  item.tooltip = tooltip(
    `**${escape(source.name)}** · ${healthInWords(health)}`,
    vscode.l10n.t(
      '{0} on disk for {1} of texts; longest chain {2}; about {3} could be saved',
      bytesInWords(row.diskBytes),
      bytesInWords(row.textBytes),
      numberInWords(row.longestChain),
      bytesInWords(row.waste),
    ),
    findingsInMarkdown(findings),
  );
  return item;
}

function packItem({ pack }: PackNode): vscode.TreeItem {
  const item = new vscode.TreeItem(basename(pack.path), Collapsed);
  item.iconPath = new vscode.ThemeIcon('package');
  item.description = bytesInWords(pack.bytes);
  item.tooltip = pack.path;
  item.contextValue = 'pack';
  return item;
}

function storedChainItem({ read, chain }: StoredChainNode): vscode.TreeItem {
  const { chains } = read;
  const first = chains.members[chains.starts[chain]];
  const isRevlog = 'reading' in read;
  const label = isRevlog
    ? vscode.l10n.t('Chain from revision {0}', first)
    : vscode.l10n.t('Chain from {0}', summarizeEntry(read.columns, first).name.slice(0, 12));
  const item = new vscode.TreeItem(label, Collapsed);
  const count = memberCount(chains, chain);
  item.description = [
    bytesInWords(chains.bytes[chain]),
    isRevlog ? revisionsInWords(count) : objectsInWords(count),
    deltasInWords(chains.longest[chain]),
  ].join(' · ');
  const faults = isRevlog
    ? read.reading.faults.filter(({ rev }) => rev !== undefined && contains(read.chains, chain, rev))
    : [];
  item.iconPath = faults.length > 0 ? healthIcon('damaged') : new vscode.ThemeIcon('link');
  if (faults.length > 0) item.description += ` · ${healthInWords('damaged')}`;
  item.contextValue = isRevlog ? 'chain.revlog' : 'chain.pack';
  return item;
}

function contains({ members, starts }: StoredChainNode['read']['chains'], chain: number, rev: number): boolean {
  return members.subarray(starts[chain], starts[chain + 1]).includes(rev);
}

function revisionItem({ read, rev }: RevisionNode): vscode.TreeItem {
  if (!('reading' in read)) throw new TypeError('a pack has objects');
  const { columns, faults } = read.reading;
  const row = chainRow(columns, rev);
  const own = faults.filter((fault) => fault.rev === rev);
  const item = new vscode.TreeItem(vscode.l10n.t('Revision {0}', rev));
  const texts = row.uncompsize < 0 ? '?' : bytesInWords(row.uncompsize);
  item.description = [
    ...(own.length > 0 ? [healthInWords('damaged')] : []),
    vscode.l10n.t('{0} of {1}', bytesInWords(row.compsize), texts),
    deltaInWords(row.deltatype, row.prevrev),
    compressionInWords(row.compression),
  ]
    .filter(Boolean)
    .join(' · ');
  const icon = row.deltatype === 'base' ? 'file' : row.deltatype === 'snap' ? 'device-camera' : 'diff';
  item.iconPath = own.length > 0 || row.deltatype === 'broken' ? healthIcon('damaged') : new vscode.ThemeIcon(icon);
  item.contextValue = 'revision';
  const facts = [
    vscode.l10n.t('Chain of {0} chunks, {1}', row.chainlen, bytesInWords(row.chainsize)),
    ...(row.readsize === undefined
      ? []
      : [vscode.l10n.t('Reading it reads {0} in {1} stretches', bytesInWords(row.readsize), row.srchunks ?? 1)]),
    vscode.l10n.t('Parents {0}, {1}', row.p1, row.p2),
  ];
  const of = read.of.findings.filter((finding) => finding.rev === rev);
  const named = own.map(({ message }) => `- $(error) ${escape(message)}`);
  const others = of.filter(({ message }) => own.every((fault) => fault.message !== message));
  item.tooltip = tooltip(
    `**${escape(read.of.source.name)}** ${vscode.l10n.t('revision {0}', rev)}`,
    ...facts,
    named.join('\n'),
    findingsInMarkdown(others),
  );
  return item;
}

function objectItem({ read, rev }: RevisionNode): vscode.TreeItem {
  if ('reading' in read) throw new TypeError('a revlog has revisions');
  const entry = summarizeEntry(read.columns, rev);
  const item = new vscode.TreeItem(`${entry.kind} ${entry.name.slice(0, 12)}`, None);
  item.description = [
    entry.depth === 0 ? vscode.l10n.t('whole') : vscode.l10n.t('delta {0} deep', entry.depth),
    vscode.l10n.t('{0} of {1}', bytesInWords(entry.packedSize), bytesInWords(entry.objectSize)),
  ].join(' · ');
  item.iconPath = new vscode.ThemeIcon(entry.depth === 0 ? 'file' : 'diff');
  item.tooltip = entry.name;
  item.contextValue = 'object';
  return item;
}

function findingItem({ finding }: FindingNode): vscode.TreeItem {
  const { message, nextStep, severity } = finding;
  const item = new vscode.TreeItem(message);
  item.iconPath = healthIcon(healthOf([finding]));
  item.description = nextStep;
  item.tooltip = tooltip(escape(message), nextStep === undefined ? '' : `→ ${escape(nextStep)}`);
  item.contextValue = finding.revlog === undefined ? 'finding.repository' : 'finding';
  item.accessibilityInformation = { label: `${severity}: ${labelOf(item)} ${nextStep ?? ''}` };
  return item;
}

function optimizationItem(node: OptimizationNode): vscode.TreeItem {
  const isBrokenOff = node.state === 'brokenOff';
  const label = isBrokenOff
    ? vscode.l10n.t('An optimisation was broken off: finish it')
    : vscode.l10n.t('Optimized: confirm it, or undo it');
  const item = new vscode.TreeItem(label);
  item.description = isBrokenOff
    ? vscode.l10n.t('every text can be read')
    : vscode.l10n.t('the old store is kept until then');
  item.iconPath = isBrokenOff ? healthIcon('costly') : new vscode.ThemeIcon('history');
  item.tooltip = `${label} (${item.description})`;
  item.contextValue = `optimization.${node.state}`;
  item.command = { command: 'deltascope.optimize.decide', title: label, arguments: [node] };
  return item;
}

function labelOf({ label }: vscode.TreeItem): string {
  return typeof label === 'string' ? label : '';
}

function tooltip(...paragraphs: string[]): vscode.MarkdownString {
  return new vscode.MarkdownString(paragraphs.filter(Boolean).join('\n\n'), true);
}

function healthIcon(health: Health): vscode.ThemeIcon {
  switch (health) {
    case 'healthy':
      return new vscode.ThemeIcon('pass', new vscode.ThemeColor('testing.iconPassed'));
    case 'notable':
      return new vscode.ThemeIcon('info', new vscode.ThemeColor('charts.blue'));
    case 'costly':
      return new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
    case 'damaged':
      return new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground'));
  }
}
