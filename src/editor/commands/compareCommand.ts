import { basename } from 'node:path';
import * as vscode from 'vscode';
import { policyWords } from '../../engine/compare/policies';
import { recommend } from '../../engine/compare/recommend';
import type { Engine } from '../../engine/engine';
import type { CompareSubject } from '../../protocol/compareReport';
import type { ChainNode } from '../chains/chainNode';
import type { Repositories } from '../chains/repositories';
import { storeState } from '../chains/storeState';
import { chooseRepository, type RepositoryArgument } from '../exchange/chooseRepository';
import type { CompareReports } from '../reports/compareReport';
import type { TransferRunner } from '../transfers/runTransfer';
import { shareOfCompare } from '../transfers/shares';

/** *Compare delta choices*: computes what a store would be under several policies, and opens the report. */
export class CompareCommand {
  constructor(
    private readonly engine: Engine,
    private readonly runner: TransferRunner,
    private readonly repositories: Repositories,
    private readonly reports: CompareReports,
  ) {}

  /** @param given a row of the *Delta chains* view, what a report is about, a folder, or nothing: then a person is asked */
  async run(given?: ChainNode | CompareSubject | RepositoryArgument): Promise<void> {
    const subject = subjectOf(given) ?? (await this.ask(given as RepositoryArgument));
    if (subject === undefined) return;
    const { root, selection, name } = subject;
    // As it was before: what is written meanwhile makes the comparison outdated.
    const state = storeState({ kind: 'hg', root });
    await this.runner.run(
      {
        title: vscode.l10n.t('Comparing delta choices of {0}', name),
        source: root,
        destination: root,
        share: shareOfCompare,
        whatIsLeft: vscode.l10n.t('Nothing was changed.'),
        work: (operation) => this.engine.compareStore({ folder: root, selection }, operation),
      },
      (comparison) =>
        this.reports.show({
          subject,
          comparison,
          recommendation: recommend(comparison),
          policyWords: policyWords(),
          at: Date.now(),
          storeState: state,
        }),
    );
  }

  private async ask(given: RepositoryArgument): Promise<CompareSubject | undefined> {
    const root = await chooseRepository(this.repositories, vscode.l10n.t('Compare delta choices'), given);
    return root === undefined ? undefined : { root, selection: 'all', name: basename(root) };
  }
}

/** What is meant by a row of the tree or by a report; undefined where only a repository is named, or nothing. */
function subjectOf(given: ChainNode | CompareSubject | RepositoryArgument): CompareSubject | undefined {
  if (given === undefined || typeof given === 'string' || given instanceof vscode.Uri) return undefined;
  if ('selection' in given) return given;
  if (!('kind' in given) || given.kind !== 'revlog') return undefined;
  const { source, row, repository } = given;
  const selection = row.role === 'changelog' || row.role === 'manifest' ? row.role : { index: source.path };
  return { root: repository.root, selection, name: source.name };
}
