import * as l10n from '@vscode/l10n';
import { corruptError, destinationError, integrityError, unsupportedError } from '../io/errors';

/** The errors of a pack as a whole. */

export const wrongChecksum = (pack: string, offset: number, computed: string, found: string) =>
  integrityError(l10n.t('{0} ends with the checksum {1}, but its bytes have {2}.', pack, found, computed), {
    subject: pack,
    offset,
    advice: l10n.t('It was damaged on its way. Fetch or copy it again.'),
  });

export const trailingBytes = (pack: string, offset: number) =>
  corruptError(l10n.t('{0} goes on after its checksum, at offset {1}.', pack, offset), { subject: pack, offset });

export const otherFormat = (pack: string, format: string, repository: string) =>
  unsupportedError(
    l10n.t("{0} has objects named by {1}; the repository's are named by {2}.", pack, format, repository),
    {
      subject: `object-format=${format}`,
      advice: l10n.t('Choose a repository with the object format {0}.', format),
    },
  );

export const missingPrerequisites = (pack: string, missing: { name: string; comment: string }[]) =>
  destinationError(
    l10n.t(
      '{0} builds on {1} that the repository does not have: {2}{3}.',
      pack,
      missing.length === 1 ? l10n.t('a commit') : l10n.t('{0} commits', missing.length),
      missing
        .slice(0, 3)
        .map(({ name, comment }) => (comment === '' ? name : `${name} (${comment})`))
        .join(', '),
      missing.length > 3 ? ' ...' : '',
    ),
    {
      subject: missing[0].name,
      advice: l10n.t('Choose the repository that the bundle was made for, or fetch those commits first.'),
    },
  );
