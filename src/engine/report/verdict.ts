import * as l10n from '@vscode/l10n';
import type { ReportHead } from '../../protocol/chainReport';
import type { Finding } from '../survey/finding';
import { numberInWords } from '../survey/words';

/** Answers whether something is healthy, from what was found out about it. */
export function verdictOf(findings: readonly Finding[]): Pick<ReportHead, 'health' | 'verdict'> {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.filter(({ severity }) => severity === 'warning').length;
  if (errors > 0) {
    return {
      health: 'damaged',
      verdict:
        errors === 1
          ? l10n.t('Damaged: 1 fault found. What can be read is shown.')
          : l10n.t('Damaged: {0} faults found. What can be read is shown.', numberInWords(errors)),
    };
  }
  if (warnings > 0) {
    return {
      health: 'notable',
      verdict:
        warnings === 1
          ? l10n.t('Sound, but it could be better: 1 finding below.')
          : l10n.t('Sound, but it could be better: {0} findings below.', numberInWords(warnings)),
    };
  }
  return { health: 'good', verdict: l10n.t('Healthy: nothing here costs more than it should.') };
}
