import { join } from 'node:path';
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
    return telling.map((name) => signature(join(store, name))).join(' ');
  } catch {
    return 'closed';
  }
}
