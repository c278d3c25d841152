import { join } from 'node:path';
import { optimizeState } from '../../engine/optimize/optimizeStore';
import { signature } from '../../engine/revlog/readChainColumns';
import { repositoryAt } from '../../engine/survey/surveyRepository';
import { packsOf, type FoundRepository } from './findRepositories';

/** A transaction changes at least one of these. */
const telling = ['00changelog.i', '00manifest.i', 'fncache', 'requires'];

/** Changes whenever the store of a repository does; a repository that cannot be opened has one state. */
export function storeState({ kind, root }: FoundRepository): string {
  if (kind === 'git')
    return packsOf(root)
      .map(({ path, bytes }) => `${path} ${bytes}`)
      .join('\n');
  try {
    const { store } = repositoryAt(root);
    const signatures = telling.map((name) => signature(join(store, name))).join(' ');
    // Files may have been written again that are none of these.
    const optimize = optimizeState(root);
    return optimize === 'none' || optimize === 'underWay' ? signatures : `${signatures} ${optimize}`;
  } catch {
    return 'closed';
  }
}
