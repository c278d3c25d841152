/** How much a finding matters: something is broken, something costs a lot, something to know. */
export type Severity = 'error' | 'warning' | 'info';

/** What was found about a repository or one of its revlogs, in words for people. */
export interface Finding {
  severity: Severity;
  /** The revlog's name as people know it; undefined when it is about the whole repository. */
  revlog?: string;
  /** The revision, where there is one. */
  rev?: number;
  /** What is so, as a sentence. */
  message: string;
  /** What a person can do, as a sentence; absent where nothing has to be done. */
  nextStep?: string;
}

const weight: Record<Severity, number> = { error: 0, warning: 1, info: 2 };

/** The gravest first, otherwise in the order they were found. */
export function bySeverity(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((one, other) => weight[one.severity] - weight[other.severity]);
}
