import { revisionPieces } from '../bundle/changegroupWriter';
import type { BundlePiece } from '../bundle/bundlePieces';
import type { ChangegroupVersion } from '../bundle/changegroupReader';
import { diffTexts, wholeAsDelta } from '../revlog/diff';
import { nullRev, type Rev } from '../revlog/node';
import { whyWithoutText } from '../revlog/revisionFlags';
import type { Revlog } from '../revlog/revlog';

/** What goes out of one history. */
export interface DeltaGroup {
  revlog: Revlog;
  version: ChangegroupVersion;
  /** Revisions that go out, in order. */
  revs: readonly Rev[];
  /** Whether the client has a revision that does not go out. */
  isKnown: (rev: Rev) => boolean;
  /** The changeset that brings a revision, as 20 bytes. */
  linkOf: (rev: Rev) => Uint8Array;
  /** Called with the text of what goes out. */
  onText?: (rev: Rev, text: Uint8Array) => void;
  /** Called with what goes out: hunks against a revision that the client has by then, or against nothing. */
  onDelta?: (rev: Rev, delta: Uint8Array) => void;
}

const nodeLength = 20;
/** A whole text up to this goes out as it is stored: finding a delta costs more than it saves. */
const shortText = 256;

/**
 * The revisions of one history. What is stored as a delta against a revision that the client has, or gets before, goes out
 * as it is stored; for other revisions a delta is made against the first parent, the second or the one before.
 *
 * Version 01 knows one base only: the revision that went before, the first parent for the first.
 */
export function* deltaGroupPieces(group: DeltaGroup): Generator<BundlePiece> {
  const { revlog, version, revs, isKnown, linkOf, onText, onDelta } = group;
  const sent = new Uint8Array(revlog.length);
  const isThere = (rev: Rev) => rev >= 0 && (sent[rev] === 1 || isKnown(rev));
  let before: Rev = nullRev;
  const nodes = Array.from({ length: 4 }, () => Buffer.alloc(nodeLength));
  for (const [rev, chunk] of revlog.decodedChunks(revs)) {
    onText?.(rev, revlog.deltaParent(rev) === nullRev ? chunk : revlog.rawText(rev));
    const base =
      version === '01' ? (before === nullRev ? revlog.p1(rev) : before) : chooseBase(revlog, rev, before, isThere);
    const { delta, from } = deltaAgainst(revlog, rev, base, chunk, version !== '01');
    onDelta?.(rev, delta);
    const [node, p1, p2, baseNode] = nodes;
    revlog.copyNode(rev, node, 0);
    revlog.copyNode(revlog.p1(rev), p1, 0);
    revlog.copyNode(revlog.p2(rev), p2, 0);
    revlog.copyNode(from, baseNode, 0);
    yield* revisionPieces(version, {
      node,
      p1,
      p2,
      base: baseNode,
      link: linkOf(rev),
      flags: revlog.flags(rev),
      delta,
    });
    sent[rev] = 1;
    before = rev;
  }
}

function chooseBase(revlog: Revlog, rev: Rev, before: Rev, isThere: (rev: Rev) => boolean): Rev {
  const stored = revlog.deltaParent(rev);
  if (isThere(stored)) return stored;
  // What has no text of its own replaces whatever was there, and is known by that.
  if (whyWithoutText(revlog.flags(rev)) !== undefined) return nullRev;
  if (stored === nullRev && revlog.textLength(rev) <= shortText) return nullRev;
  for (const parent of [revlog.p1(rev), revlog.p2(rev), before]) {
    if (isThere(parent) && whyWithoutText(revlog.flags(parent)) === undefined) return parent;
  }
  return nullRev;
}

/**
 * @param chunk what is stored, decoded
 * @param mayBeWhole whether the whole text can go out, where it is shorter
 */
function deltaAgainst(
  revlog: Revlog,
  rev: Rev,
  base: Rev,
  chunk: Uint8Array,
  mayBeWhole: boolean,
): { delta: Uint8Array; from: Rev } {
  const stored = revlog.deltaParent(rev);
  if (stored === base) return { delta: base === nullRev ? wholeAsDelta(chunk) : chunk, from: base };
  // The base first: its text is often the last one that was put together.
  const baseText = revlog.rawText(base);
  const text = stored === nullRev ? chunk : revlog.rawText(rev);
  if (base === nullRev) return { delta: wholeAsDelta(text), from: nullRev };
  const delta = diffTexts(baseText, text);
  return mayBeWhole && delta.length > text.length
    ? { delta: wholeAsDelta(text), from: nullRev }
    : { delta, from: base };
}
