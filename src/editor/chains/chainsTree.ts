import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import { EngineError } from '../../engine/io/errors';
import { bySeverity } from '../../engine/survey/finding';
import type { PackColumns } from '../../engine/pack/packColumns';
import { everyDetail, type ChainReading } from '../../engine/revlog/readChainColumns';
import type { NamedSource } from '../../engine/survey/revlogSource';
import { damageFindings } from '../../engine/survey/revlogFindings';
import { errorInWords } from '../errorInWords';
import { chainItem } from './chainItems';
import type {
  ChainNode,
  MoreNode,
  NoticeNode,
  PackNode,
  ReadChains,
  RepositoryNode,
  RevlogNode,
  StoredChainNode,
} from './chainNode';
import {
  findingNodes,
  optimizationNodes,
  packNodes,
  partsOf,
  repositoryNode,
  revlogsOf,
  type FileListing,
} from './repositoryNodes';
import type { Repositories } from './repositories';
import { chainsOfPack, chainsOfRevlog, memberCount, membersOf, placeOf } from './storedChains';
import type { Surveys } from './surveys';
import { viewOperation } from './viewOperation';

const pageSize = 100;

/** The *Delta chains* tree: repositories, their revlogs and packs, the chains of those, and their revisions. */
export class ChainsTree implements vscode.TreeDataProvider<ChainNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<ChainNode | undefined>();
  /** How much of a long list is shown, by the node it belongs to. */
  private readonly shown = new Map<string, number>();
  private readonly roots = new Map<string, RepositoryNode>();
  private readonly abort = new AbortController();
  listing: FileListing = { order: 'size', filter: '' };

  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly engine: Engine,
    private readonly repositories: Repositories,
    private readonly surveys: Surveys,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  async getChildren(node?: ChainNode): Promise<ChainNode[]> {
    if (node === undefined) return this.rootNodes();
    try {
      return await this.childrenOf(node);
    } catch (error) {
      return [this.noticeOf(node, error)];
    }
  }

  getTreeItem(node: ChainNode): vscode.TreeItem {
    return chainItem(node, this.listing);
  }

  getParent(node: ChainNode): ChainNode | undefined {
    return node.parent;
  }

  /** Lists what is there anew: one repository, or all of them. What is expanded stays so. */
  refresh(root?: string): void {
    const nodes = [...this.roots.values()].filter(({ repository }) => repository.root === root);
    if (nodes.length === 0) this.changed.fire(undefined);
    for (const node of nodes) this.changed.fire(node);
  }

  /** Lists files by another order, or with another filter. */
  list(listing: FileListing): void {
    this.listing = listing;
    this.changed.fire(undefined);
  }

  /** Shows the next piece of a long list. */
  showMore({ parent }: MoreNode): void {
    this.shown.set(parent.id, this.pageOf(parent) + pageSize);
    this.changed.fire(parent.kind === 'repository' ? this.roots.get(parent.id) : parent);
  }

  /** Looks again at what could not be shown. */
  retry(node: NoticeNode): void {
    this.changed.fire(node.parent);
  }

  /** The node of a revision, with as much of the lists above it shown as that takes; undefined where it is not in them. */
  async findRevision(indexPath: string, rev: number): Promise<ChainNode | undefined> {
    for (const repository of await this.rootNodes()) {
      if (repository.repository.kind !== 'hg') continue;
      const survey = await this.surveys.get(repository.repository.root);
      const at = survey.revlogs.paths.indexOf(indexPath);
      if (at < 0) continue;
      const revlog = await this.findRevlog(repository, indexPath, at);
      if (revlog === undefined) return undefined;
      const read = await this.read(revlog);
      const place = placeOf(read.chains, rev);
      if (place === undefined) return revlog;
      this.showAtLeast(revlog, read.chains.bySize.indexOf(place.chain) + 1);
      const chain = chainNode(revlog, read, place.chain);
      this.showAtLeast(chain, place.position + 1);
      this.changed.fire(repository);
      return revisionNode(chain, read, rev);
    }
    return undefined;
  }

  /** The chains of a revlog or a pack, from memory while its files are as they were. @throws as the engine's readers */
  async read(node: RevlogNode | PackNode): Promise<ReadChains> {
    if (node.kind === 'pack') {
      const columns = await this.readPack(node.pack.path);
      return { of: node, columns, chains: chainsOfPack(columns) };
    }
    const reading = await this.readRevlog(node.source);
    return { of: node, reading, chains: chainsOfRevlog(reading.columns) };
  }

  /** @throws as `readChains` of the engine */
  readRevlog(source: NamedSource): Promise<ChainReading> {
    const title = vscode.l10n.t('Reading the chains of {0}', source.name);
    return this.run(title, (operation) => this.engine.readChains(source, everyDetail, operation));
  }

  /** @throws as `readPack` of the engine */
  readPack(path: string): Promise<PackColumns> {
    const title = vscode.l10n.t('Reading {0}', path);
    return this.run(title, (operation) => this.engine.readPack(path, operation));
  }

  dispose(): void {
    this.abort.abort();
    this.changed.dispose();
  }

  private async rootNodes(): Promise<RepositoryNode[]> {
    const found = await this.repositories.all();
    const nodes = found.map(repositoryNode).map((node) => this.roots.get(node.id) ?? node);
    this.roots.clear();
    for (const node of nodes) this.roots.set(node.id, node);
    return nodes;
  }

  private async childrenOf(node: ChainNode): Promise<ChainNode[]> {
    switch (node.kind) {
      case 'repository':
        return this.partsOfRepository(node);
      case 'group':
        return this.paged(node, node.rows.length, (most) => revlogsOf(node, most));
      case 'revlog':
      case 'pack':
        return this.chainsOf(node);
      case 'chain': {
        const { read, chain } = node;
        return this.paged(node, memberCount(read.chains, chain), (most) =>
          membersOf(read.chains, chain, most).map((rev) => revisionNode(node, read, rev)),
        );
      }
      case 'revision':
      case 'finding':
      case 'optimization':
      case 'notice':
      case 'more':
        return [];
    }
  }

  private async partsOfRepository(node: RepositoryNode): Promise<ChainNode[]> {
    if (node.repository.kind === 'git') return packNodes(node);
    const survey = await this.surveys.get(node.repository.root);
    if (node.survey !== survey) {
      node.survey = survey;
      // Its own line says how it is, now that this is known.
      setImmediate(() => this.changed.fire(node));
    }
    return [...optimizationNodes(node), ...partsOf(node, survey, this.listing)];
  }

  private async chainsOf(node: RevlogNode | PackNode): Promise<ChainNode[]> {
    const read = await this.read(node);
    const chains = this.paged(node, read.chains.count, (most) =>
      Array.from(read.chains.bySize.subarray(0, most), (chain) => chainNode(node, read, chain)),
    );
    if (!('reading' in read) || node.kind === 'pack') return chains;
    const damage = damageFindings(node.source.name, read.reading.faults, read.reading.faultCounts);
    const costs = node.findings.filter(({ severity, rev, message }) =>
      damage.every((other) => other.severity !== severity || other.rev !== rev || other.message !== message),
    );
    return [...findingNodes(node, bySeverity([...damage, ...costs])), ...chains];
  }

  private async findRevlog(repository: RepositoryNode, path: string, row: number): Promise<RevlogNode | undefined> {
    for (const part of await this.partsOfRepository(repository)) {
      if (part.kind === 'revlog' && part.source.path === path) return part;
      if (part.kind !== 'group' || !part.rows.includes(row)) continue;
      this.showAtLeast(part, part.rows.indexOf(row) + 1);
      return revlogsOf(part, this.pageOf(part)).find(({ source }) => source.path === path);
    }
    return undefined;
  }

  /** The first pieces of a list, and a node for the rest. */
  private paged(parent: ChainNode, total: number, first: (most: number) => ChainNode[]): ChainNode[] {
    const most = this.pageOf(parent);
    const nodes = first(most);
    const left = total - most;
    if (left > 0) nodes.push({ kind: 'more', id: `${parent.id}|more`, parent, left });
    return nodes;
  }

  private pageOf(node: ChainNode): number {
    return this.shown.get(node.id) ?? pageSize;
  }

  private showAtLeast(node: ChainNode, count: number): void {
    if (this.pageOf(node) < count) this.shown.set(node.id, Math.ceil(count / pageSize) * pageSize);
  }

  private run<T>(title: string, work: Parameters<typeof viewOperation<T>>[4]): Promise<T> {
    return viewOperation(this.log, title, this.abort, () => undefined, work);
  }

  /** What could not be shown becomes a sentence in its place. */
  private noticeOf(parent: ChainNode, error: unknown): NoticeNode {
    const isCancelled = error instanceof EngineError && error.kind === 'cancelled';
    const message = isCancelled ? vscode.l10n.t('Stopped. Press here to look again.') : errorInWords(error);
    if (!isCancelled) this.log.warn(message);
    return { kind: 'notice', id: `${parent.id}|notice`, parent, message, isError: !isCancelled, canRetry: true };
  }
}

function chainNode(parent: RevlogNode | PackNode, read: ReadChains, chain: number): StoredChainNode {
  const base = read.chains.members[read.chains.starts[chain]];
  return { kind: 'chain', id: `${parent.id}|chain ${base}`, parent, read, chain };
}

function revisionNode(parent: StoredChainNode, read: ReadChains, rev: number): ChainNode {
  return { kind: 'revision', id: `${parent.id}|${rev}`, parent, read, rev };
}
