import type { ReportHead } from '../../protocol/chainReport';
import type { Finding } from '../survey/finding';
import { countInWords } from '../survey/words';

/** Answers whether something is healthy, from what was found out about it. */
export function verdictOf(findings: readonly Finding[]): Pick<ReportHead, 'health' | 'verdict'> {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.filter(({ severity }) => severity === 'warning').length;
  if (errors > 0) {
    return {
      health: 'damaged',
      verdict: `Damaged: ${countInWords(errors, 'fault')} found. What can be read is shown.`,
    };
  }
  if (warnings > 0) {
    return { health: 'notable', verdict: `Sound, but it could be better: ${countInWords(warnings, 'finding')} below.` };
  }
  return { health: 'good', verdict: 'Healthy: nothing here costs more than it should.' };
}
