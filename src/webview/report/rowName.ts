import * as l10n from '@vscode/l10n';
import type { ReportHead } from '../../protocol/chainReport';

/** What the rows of a report are called in the editor's language: reports themselves are written in English. */
export function rowNameOf({ rowName }: Pick<ReportHead, 'rowName'>): ReportHead['rowName'] {
  switch (rowName.one) {
    case 'revision':
      return { one: l10n.t('revision'), many: l10n.t('revisions') };
    case 'object':
      return { one: l10n.t('object'), many: l10n.t('objects') };
    default:
      return rowName;
  }
}
