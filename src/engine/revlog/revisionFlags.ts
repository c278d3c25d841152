import * as l10n from '@vscode/l10n';
/** The text is gone, on purpose; what is stored in its place is not what the node stands for. */
export const censoredFlag = 0x8000;
/** The text is a stand-in of a narrow clone, and does not hash to its node. */
export const ellipsisFlag = 0x4000;
/** The text is kept elsewhere, and what is stored says where. */
export const externalFlag = 0x2000;
/** Files that were copied are noted with the changeset; its text is as always. */
export const copiesFlag = 0x1000;

export const knownFlags = censoredFlag | ellipsisFlag | externalFlag | copiesFlag;

/** What stands in the place of a censored text begins so, as metadata; the text of a file that begins so is escaped. */
const tombstone = Buffer.from('\x01\ncensored:', 'latin1');

/** Whether a text is what stands in the place of a censored one. */
export function isTombstone(text: Uint8Array): boolean {
  return tombstone.equals(text.subarray(0, tombstone.length));
}

/**
 * Why a revision with these flags has no text of its own; undefined when it has.
 * @see `hg help internals.revlogs`
 */
export function whyWithoutText(flags: number): string | undefined {
  if ((flags & ~copiesFlag) === 0) return undefined;
  if ((flags & censoredFlag) !== 0) return l10n.t('was censored: its text is gone');
  if ((flags & ~knownFlags) !== 0) return l10n.t('has flags that Deltascope does not know (0x{0})', flags.toString(16));
  if ((flags & externalFlag) !== 0) return l10n.t('is kept outside the history (LFS)');
  return l10n.t('is a stand-in of a narrow clone (ellipsis)');
}
