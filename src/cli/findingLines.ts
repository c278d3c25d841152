import type { Finding } from '../engine/survey/finding';

/** Prints findings to standard error, one to three lines each. */
export function printFindings(findings: readonly Finding[]): void {
  for (const finding of findings) process.stderr.write(formatFinding(finding));
}

function formatFinding({ severity, revlog, rev, message, nextStep }: Finding): string {
  // Sentences name their revision themselves.
  const where = revlog === undefined ? '' : `${revlog}${rev === undefined ? '' : `, revision ${rev}`}: `;
  return `${severity}: ${where}${message}\n${nextStep === undefined ? '' : `  ${nextStep}\n`}`;
}
