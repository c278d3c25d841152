import { statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type { RevlogSelection, StoreComparison } from '../../engine/compare/compareStore';
import { policyWords, usualPolicies, type PolicyName } from '../../engine/compare/policies';
import type { Engine } from '../../engine/engine';
import type { OptimizeSummary } from '../../engine/optimize/optimizeStore';
import type { Repositories } from '../chains/repositories';
import { confirmationOf } from '../compare/confirmation';
import { chooseRepository, type RepositoryArgument } from '../exchange/chooseRepository';
import type { CompareReports } from '../reports/compareReport';
import type { TransferRunner } from '../transfers/runTransfer';
import type { Transfer } from '../transfers/transfer';
import { shareOfOptimize } from '../transfers/shares';
import { bytesInWords, numberInWords } from '../words';

/** What is to be written again, as a report asks for it. */
export interface OptimizeArgument {
  root: string;
  selection: RevlogSelection;
  name: string;
  policy: PolicyName;
  comparison?: StoreComparison;
}

export interface OptimizeServices {
  engine: Engine;
  runner: TransferRunner;
  repositories: Repositories;
  reports: CompareReports;
  /** Told when the store of a repository was written again, or is the old one again. */
  onChange: (root: string) => void;
}

/** *Optimize store*: asks, writes the store again, and offers to confirm or to undo. */
export class OptimizeCommand {
  constructor(private readonly services: OptimizeServices) {}

  async run(given?: OptimizeArgument | RepositoryArgument): Promise<void> {
    const wanted = isWanted(given) ? given : await this.ask(given);
    if (wanted === undefined || !(await isAgreed(wanted))) return;
    const { root, selection, policy, name } = wanted;
    const { engine, runner, onChange } = this.services;
    await runner.run(
      {
        title: vscode.l10n.t('Optimizing {0}', name),
        source: root,
        destination: root,
        share: shareOfOptimize,
        whatIsLeft: vscode.l10n.t('The store is as it was before.'),
        work: (operation) => engine.optimizeStore({ folder: root, selection, policy }, operation),
      },
      (summary, transfer) => {
        onChange(root);
        void tellOf(summary, transfer, name);
      },
    );
  }

  /** From the palette: which repository, and which policy. */
  private async ask(given: RepositoryArgument): Promise<OptimizeArgument | undefined> {
    const { repositories, reports } = this.services;
    const root = await chooseRepository(repositories, vscode.l10n.t('Optimize store'), given);
    if (root === undefined) return undefined;
    const report = reports.of(root);
    const comparison = report?.comparison;
    const first = vscode.l10n.t('Compare delta choices first');
    const rows = [
      ...(report === undefined
        ? [{ label: first, description: vscode.l10n.t('shows what each would gain and cost'), policy: undefined }]
        : []),
      ...usualPolicies
        .filter((policy) => comparison?.unwritable[policy] === undefined)
        .map((policy) => ({
          label: policy,
          description: predictionInWords(policy, comparison),
          detail: policyWords()[policy],
          policy,
        })),
    ];
    const chosen = await vscode.window.showQuickPick(rows, {
      title: vscode.l10n.t('Optimize the store of {0}', basename(root)),
      placeHolder: vscode.l10n.t('How are its deltas to be chosen?'),
    });
    if (chosen?.policy !== undefined) {
      return { root, selection: 'all', name: basename(root), policy: chosen.policy, comparison };
    }
    if (chosen !== undefined) await vscode.commands.executeCommand('deltascope.compareDeltaChoices', root);
    return undefined;
  }
}

function isWanted(given: OptimizeArgument | RepositoryArgument): given is OptimizeArgument {
  return typeof given === 'object' && 'policy' in given;
}

function predictionInWords(policy: PolicyName, comparison: StoreComparison | undefined): string {
  const { 'as-is': before, [policy]: after } = comparison?.optimized ?? {};
  if (before === undefined || after === undefined) return '';
  return vscode.l10n.t('{0} become {1}', bytesInWords(before), bytesInWords(after));
}

async function isAgreed({ root, name, policy, comparison }: OptimizeArgument): Promise<boolean> {
  const free = await statfs(join(root, '.hg')).catch(() => undefined);
  const freeBytes = free === undefined ? undefined : free.bavail * free.bsize;
  const { message, detail } = confirmationOf({ root, name, policy, comparison, freeBytes });
  const optimize = vscode.l10n.t('Optimize');
  return (await vscode.window.showWarningMessage(message, { modal: true, detail }, optimize)) === optimize;
}

async function tellOf(summary: OptimizeSummary, transfer: Transfer, name: string): Promise<void> {
  const { root, before, after, replaced, tooLarge, leftAlone } = summary;
  const warnings = [
    ...(tooLarge > 0 ? [vscode.l10n.t('{0} revlogs are too large to be replaced in use.', tooLarge)] : []),
    ...(leftAlone > 0 ? [vscode.l10n.t('{0} revlogs were written to meanwhile, and left alone.', leftAlone)] : []),
  ];
  transfer.conclude({ bytesOnDisk: after, warnings });
  if (replaced === 0) {
    const nothing = vscode.l10n.t('{0} is stored so already: nothing was replaced.', name);
    void vscode.window.showInformationMessage([nothing, ...warnings].join(' '));
    return;
  }
  const done = vscode.l10n.t(
    '{0}: {1} became {2}; {3} revlogs replaced. The old store is kept until you confirm.',
    name,
    bytesInWords(before),
    bytesInWords(after),
    numberInWords(replaced),
  );
  const [confirm, undo] = [vscode.l10n.t('Confirm'), vscode.l10n.t('Undo')];
  const chosen = await vscode.window.showInformationMessage([done, ...warnings].join(' '), confirm, undo);
  if (chosen === confirm) await vscode.commands.executeCommand('deltascope.optimize.confirm', root);
  if (chosen === undo) await vscode.commands.executeCommand('deltascope.optimize.undo', root);
}
