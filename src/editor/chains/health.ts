import type { Finding, Severity } from '../../engine/survey/finding';
import type { StoreSurvey } from '../../engine/survey/surveyRepository';

/** How a repository, revlog or revision is: what its gravest finding makes of it. */
export type Health = 'healthy' | 'notable' | 'costly' | 'damaged';

const healthFor: Record<Severity, Health> = { error: 'damaged', warning: 'costly', info: 'notable' };
const byGravity: readonly Severity[] = ['error', 'warning', 'info'];

export function healthOf(findings: readonly Finding[]): Health {
  const gravest = byGravity.find((severity) => findings.some((finding) => finding.severity === severity));
  return gravest === undefined ? 'healthy' : healthFor[gravest];
}

const sorted = new WeakMap<StoreSurvey, Map<string | undefined, Finding[]>>();

/** The findings about one revlog of a survey by its name, or about the repository as a whole. */
export function findingsAbout(survey: StoreSurvey, revlog?: string): readonly Finding[] {
  let byName = sorted.get(survey);
  if (byName === undefined) {
    byName = new Map();
    for (const finding of survey.findings) {
      const about = byName.get(finding.revlog);
      if (about === undefined) byName.set(finding.revlog, [finding]);
      else about.push(finding);
    }
    sorted.set(survey, byName);
  }
  return byName.get(revlog) ?? [];
}
