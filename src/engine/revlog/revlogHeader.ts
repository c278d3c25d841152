import * as l10n from '@vscode/l10n';
import { unsupportedError } from '../io/errors';

/** Bytes of an index entry of version 1. */
export const entryLength = 64;

const inlineFlag = 0x1_0000;
const generaldeltaFlag = 0x2_0000;
const oldVersions = (): Record<number, string | undefined> => ({
  0: l10n.t('from before 2006'),
  2: l10n.t('of the experimental version 2'),
  0xd34d: l10n.t('of the experimental version 2 for changelogs'),
  0xdead: l10n.t('of the experimental version 2'),
});

/** What the first four bytes of an index say of the whole revlog. */
export interface RevlogHeader {
  version: 1;
  /** Chunks are between the entries, not in a file of their own. */
  isInline: boolean;
  /** A delta may be against any earlier revision, not only against the one before it. */
  isGeneraldelta: boolean;
}

/** The header of a revlog without revisions. */
export const emptyHeader: RevlogHeader = { version: 1, isInline: true, isGeneraldelta: true };

/**
 * Reads the first four bytes of an index, taken as one big-endian number.
 * @throws `unsupported` for other versions, unknown flags, and files that are no revlog
 * @see `hg help internals.revlogs`
 */
export function parseRevlogHeader(header: number, path: string): RevlogHeader {
  const version = header & 0xffff;
  const flags = header - version;
  if (version === 1 && (flags & ~(inlineFlag | generaldeltaFlag)) === 0) {
    return { version, isInline: (flags & inlineFlag) !== 0, isGeneraldelta: (flags & generaldeltaFlag) !== 0 };
  }
  const shown = `0x${(header >>> 0).toString(16).padStart(8, '0')}`;
  const age = flags === 0 || version !== 0 ? oldVersions()[version] : undefined;
  const what =
    version === 1
      ? l10n.t('is a revlog with features that Deltascope does not know ({0})', shown)
      : age !== undefined
        ? l10n.t('is a revlog {0} ({1}), which Deltascope does not read', age, shown)
        : l10n.t('is no revlog: it begins with {0}', shown);
  throw unsupportedError(`${path} ${what}.`, { subject: path, offset: 0 });
}

/** The first four bytes of an index, as one big-endian number: the reverse of {@link parseRevlogHeader}. */
export function revlogHeader({ version, isInline, isGeneraldelta }: RevlogHeader): number {
  return version | (isInline ? inlineFlag : 0) | (isGeneraldelta ? generaldeltaFlag : 0);
}
