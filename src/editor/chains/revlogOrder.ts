import { revlogRoles, type RevlogRole } from '../../engine/survey/storeRevlogs';
import type { SurveyColumns } from '../../engine/survey/surveyColumns';

/** What files can be sorted by, the most first. */
export const revlogOrders = ['size', 'waste', 'longestChain'] as const;
export type RevlogOrder = (typeof revlogOrders)[number];

/** The rows of a survey that have this role, in the order of the store. */
export function rowsOf(survey: SurveyColumns, role: RevlogRole): number[] {
  const wanted = revlogRoles.indexOf(role);
  const rows: number[] = [];
  for (let at = 0; at < survey.count; at++) if (survey.roles[at] === wanted) rows.push(at);
  return rows;
}

/**
 * The rows of files whose name has every word of the filter in it, large and small letters being the same; those that
 * cannot be read first, then the most of what the order asks for, then by size, then by name.
 */
export function orderedFiles(survey: SurveyColumns, order: RevlogOrder, filter: string): number[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const weight = weightOf(survey, order);
  return rowsOf(survey, 'file')
    .filter((at) => {
      if (words.length === 0) return true;
      const name = survey.names[at].toLowerCase();
      return words.every((word) => name.includes(word));
    })
    .sort(
      (one, other) =>
        Number(survey.faults[other] < 0) - Number(survey.faults[one] < 0) ||
        weight[other] - weight[one] ||
        survey.diskBytes[other] - survey.diskBytes[one] ||
        (survey.names[one] < survey.names[other] ? -1 : 1),
    );
}

function weightOf(survey: SurveyColumns, order: RevlogOrder): ArrayLike<number> {
  switch (order) {
    case 'size':
      return survey.diskBytes;
    case 'waste':
      return survey.waste;
    case 'longestChain':
      return survey.longestChains;
  }
}
