import { Uri } from 'vscode';
import { nameOfIndex, revlogAt, type NamedSource } from '../../engine/survey/revlogSource';
import { repositoryAt } from '../../engine/survey/surveyRepository';
import type { ReportSubject } from '../../protocol/chainReport';
import type { ChainNode } from './chainNode';

/** The revlog or pack that is meant by a node of the tree, a report, or a file. */
export function subjectOf(of: ChainNode | ReportSubject | Uri | undefined): ReportSubject | undefined {
  if (of === undefined) return undefined;
  if (of instanceof Uri) return subjectOfFile(of.fsPath);
  if (!('id' in of)) return of;
  for (let at: ChainNode | undefined = of; at !== undefined; at = at.parent) {
    if (at.kind === 'pack') return { kind: 'pack', path: at.pack.path };
    if (at.kind === 'revlog') {
      return { kind: 'revlog', index: at.source.path, name: at.source.name, repository: at.repository.root };
    }
  }
  return undefined;
}

/** The revision that is meant, where there is one. */
export function rowOf(of: ChainNode | ReportSubject | Uri | undefined): number | undefined {
  if (of === undefined || of instanceof Uri || !('id' in of)) return undefined;
  if (of.kind === 'finding') return of.finding.rev;
  return of.kind === 'revision' ? of.rev : undefined;
}

/** A file on disk: a pack, or the index of a revlog. */
export function subjectOfFile(path: string): ReportSubject {
  if (path.endsWith('.pack')) return { kind: 'pack', path };
  return { kind: 'revlog', index: path, ...nameOfIndex(path) };
}

/** Where the subject's files are. @throws as `repositoryAt` */
export function sourceOf({ index, name, repository }: ReportSubject & { kind: 'revlog' }): NamedSource {
  // Only hashed names do not tell where the chunks are: then the whole store has to be asked.
  if (repository === undefined || /[\\/]dh[\\/]/.test(index)) return revlogAt(index);
  return { name, path: index, isSparse: repositoryAt(repository).requirements.has('sparserevlog') };
}
