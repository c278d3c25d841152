import { corruptError, destinationError, integrityError, unsupportedError } from '../io/errors';

/** The errors of a pack as a whole. */

export const wrongChecksum = (pack: string, offset: number, computed: string, found: string) =>
  integrityError(`${pack} ends with the checksum ${found}, but its bytes have ${computed}.`, {
    subject: pack,
    offset,
    advice: 'It was damaged on its way. Fetch or copy it again.',
  });

export const trailingBytes = (pack: string, offset: number) =>
  corruptError(`${pack} goes on after its checksum, at offset ${offset}.`, { subject: pack, offset });

export const otherFormat = (pack: string, format: string, repository: string) =>
  unsupportedError(`${pack} has objects named by ${format}; the repository's are named by ${repository}.`, {
    subject: `object-format=${format}`,
    advice: `Choose a repository with the object format ${format}.`,
  });

export const missingPrerequisites = (pack: string, missing: { name: string; comment: string }[]) =>
  destinationError(
    `${pack} builds on ${missing.length === 1 ? 'a commit' : `${missing.length} commits`} that the repository does not have: ${missing
      .slice(0, 3)
      .map(({ name, comment }) => (comment === '' ? name : `${name} (${comment})`))
      .join(', ')}${missing.length > 3 ? ' ...' : ''}.`,
    {
      subject: missing[0].name,
      advice: 'Choose the repository that the bundle was made for, or fetch those commits first.',
    },
  );
