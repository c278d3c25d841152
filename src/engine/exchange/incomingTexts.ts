import * as l10n from '@vscode/l10n';
import { corruptError, integrityError, unsupportedError } from '../io/errors';
import { DeltaPieces } from '../revlog/deltaPieces';
import { nullNode, nullRev, type Node } from '../revlog/node';
import { hashText } from '../revlog/nodeOfText';
import { whyWithoutText } from '../revlog/revisionFlags';
import { openRevlogIfThere } from '../store/openRevlog';
import { checkStoreName } from '../store/storeNames';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { ChangegroupFolder, type KeptRevision } from './changegroupFolder';

/** The texts of a repository and of what is incoming for it, as if it had been pulled already. */
export class IncomingTexts implements Disposable {
  private readonly kept: ChangegroupFolder | undefined;

  /** @param folder where a changegroup was kept; one that is gone, because it was pulled since, has nothing */
  constructor(
    private readonly repository: RepositoryFolders,
    folder: string,
  ) {
    try {
      this.kept = new ChangegroupFolder(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  /**
   * A text, checked against its node.
   * @param history the store's name of it
   * @throws `integrity` when it is nowhere, or is not what its node stands for; `corrupt` for deltas that do not apply;
   * `unsupported` where it was censored or is kept elsewhere
   */
  text(history: string, node: Node): Uint8Array {
    if (node === nullNode) return new Uint8Array(0);
    const revision = this.kept?.find(history, node);
    return revision === undefined ? this.stored(history, node) : this.putTogether(history, revision);
  }

  [Symbol.dispose](): void {
    this.kept?.[Symbol.dispose]();
  }

  private putTogether(history: string, revision: KeptRevision): Uint8Array {
    const { node, p1, p2, flags } = revision;
    const why = whyWithoutText(flags);
    if (why !== undefined) throw unsupportedError(l10n.t('Revision {0} {1}.', node, why), { subject: history });
    const chain = [revision];
    const seen = new Set<Node>([node]);
    for (let link: KeptRevision | undefined = revision; ;) {
      link = this.kept?.find(history, link.base);
      if (link === undefined) break;
      if (seen.has(link.node))
        throw corruptError(l10n.t('Revision {0} is a delta against itself.', node), { subject: history });
      seen.add(link.node);
      chain.push(link);
    }
    const { base } = chain[chain.length - 1];
    const pieces = new DeltaPieces(base === nullNode ? new Uint8Array(0) : this.stored(history, base));
    for (const link of chain.reverse()) {
      pieces.add(link.delta, nullRev, { describe: () => `Revision ${link.node}` });
    }
    const text = pieces.apply();
    if (hashText(p1, p2, text) === node) return text;
    throw integrityError(l10n.t('Revision {0} does not have the content that its hash stands for.', node), {
      subject: node,
    });
  }

  private stored(history: string, node: Node): Uint8Array {
    // The names of files come from the other side.
    if (history.startsWith('data/')) checkStoreName(history);
    using revlog = openRevlogIfThere(this.repository, history);
    const rev = revlog?.find(node);
    if (revlog !== undefined && rev !== undefined) return revlog.text(rev);
    throw integrityError(l10n.t('Revision {0} is neither here nor in what came.', node), {
      subject: history,
      advice: l10n.t('Look for incoming changesets again.'),
    });
  }
}
