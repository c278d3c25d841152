import * as l10n from '@vscode/l10n';
import { corruptError } from '../io/errors';
import type { Rev } from './node';
import type { TextRoom } from './textRoom';

/** The source of pieces that come from the text which the deltas are applied to. */
const fromBase = -1;
const hunkHead = 12;
const longestText = 0x7fff_ffff;
/** Below this, a loop is quicker than a call. */
const shortPiece = 32;
/** What the stacks are kept at between texts, in numbers: 4 MB each. */
const keptNumbers = 1 << 20;

/** Knows what a revision is called in errors, which is only asked when there is one. */
export interface RevisionNames {
  describe(rev: Rev): string;
}

/**
 * Numbers in threes: a piece's source (a delta's place among the deltas, or the base text), its start and its length.
 * Recipes, each of which is a text as pieces, lie one after another like a stack. One thread puts one text together at a
 * time, so one stack will do: without any allocation for a delta, chains of hundreds of links are twice as fast.
 */
let stack = new Int32Array(1 << 14);
let spare = new Int32Array(1 << 14);

/**
 * The deltas of a chain as one. Each is parsed to a recipe of pieces, and neighbours are folded into one recipe like
 * players of a tournament, so that a chain of n deltas with h hunks in all costs O(h log n), and bytes of texts are
 * copied once, at the end: a manifest of megabytes under 700 deltas would be copied 700 times otherwise.
 *
 * A delta is hunks of start, end and length, 4 bytes each, big-endian, with `length` bytes that replace what is between
 * `start` and `end`; in order, without overlap. Only one chain can be under way at a time, from {@link constructor} to
 * {@link apply}.
 *
 * @see `hg help internals.revlogs`, `hg help internals.changegroups`
 */
export class DeltaPieces {
  private readonly sources: Buffer[] = [];
  /** Where the recipes on the stack begin, and how many deltas each stands for, for balance. */
  private readonly starts: number[] = [];
  private readonly weights: number[] = [];
  /** Where the stack ends. */
  private end = 0;
  /** Bytes of the deltas that wait to be applied. */
  bytesHeld = 0;
  /** Bytes of the text after all deltas so far. */
  private length: number;

  constructor(private readonly base: Uint8Array) {
    this.length = base.length;
  }

  /**
   * Takes the next delta of the chain, without a copy: its memory must stay as it is until {@link apply}.
   * @throws `corrupt` when its hunks are cut short, out of order, or leave the text
   */
  add(delta: Uint8Array, rev: Rev, names: RevisionNames): void {
    this.bytesHeld += delta.length;
    const source = this.sources.push(asBuffer(delta)) - 1;
    this.starts.push(this.end);
    this.parse(source, rev, names);
    let weight = 1;
    while (this.weights.length > 0 && this.weights[this.weights.length - 1] <= weight) {
      weight += this.weights.pop() ?? 0;
      this.foldLast();
    }
    this.weights.push(weight);
  }

  /** The text after all deltas, in memory of its own, or from `room`, unless there was none. */
  apply(room?: TextRoom): Uint8Array {
    if (this.sources.length === 0) return this.base;
    while (this.starts.length > 1) this.foldLast();
    const text = room?.take(this.length) ?? Buffer.allocUnsafe(this.length);
    const base = asBuffer(this.base);
    const { sources } = this;
    let filled = 0;
    for (let at = 0; at < this.end; at += 3) {
      const source = stack[at] === fromBase ? base : sources[stack[at]];
      const start = stack[at + 1];
      const length = stack[at + 2];
      if (length < shortPiece) for (let byte = 0; byte < length; byte++) text[filled + byte] = source[start + byte];
      else source.copy(text, filled, start, start + length);
      filled += length;
    }
    if (stack.length > keptNumbers) stack = new Int32Array(keptNumbers);
    if (spare.length > keptNumbers) spare = new Int32Array(keptNumbers);
    return text;
  }

  /** Puts the recipe of one delta on the stack. */
  private parse(source: number, rev: Rev, names: RevisionNames): void {
    const delta = this.sources[source];
    // No delta has more hunks than this, and each gives two pieces at most.
    stack = withRoom(stack, this.end, this.end + (Math.floor(delta.length / hunkHead) * 2 + 1) * 3);
    const first = this.end;
    let end = first;
    let kept = 0; // Up to where the text before has been dealt with.
    let length = 0;
    for (let at = 0; at < delta.length;) {
      if (at + hunkHead > delta.length) throw malformed(names.describe(rev), at);
      const from = uint32(delta, at);
      const to = uint32(delta, at + 4);
      const added = uint32(delta, at + 8);
      if (from < kept || to < from || to > this.length || added > delta.length - at - hunkHead) {
        throw malformed(names.describe(rev), at);
      }
      at += hunkHead;
      if (from > kept) end = push(stack, first, end, fromBase, kept, from - kept);
      if (added > 0) end = push(stack, first, end, source, at, added);
      length += from - kept + added;
      kept = to;
      at += added;
    }
    if (this.length > kept) end = push(stack, first, end, fromBase, kept, this.length - kept);
    length += this.length - kept;
    if (length > longestText) throw malformed(names.describe(rev), 0);
    this.length = length;
    this.end = end;
  }

  /** Replaces the last two recipes by the one that does at once what they do one after the other. */
  private foldLast(): void {
    const second = this.starts.pop() ?? 0;
    const first = this.starts[this.starts.length - 1];
    spare = withRoom(spare, 0, this.end - first);
    const used = fold(first, second, this.end);
    if (used <= shortPiece) for (let at = 0; at < used; at++) stack[first + at] = spare[at];
    else stack.set(spare.subarray(0, used), first);
    this.end = first + used;
  }
}

/** Folds the recipe from `first` to `second` and the one from there to `end` into `spare`; gives how much of it is used. */
function fold(first: number, second: number, end: number): number {
  const from = stack;
  const to = spare;
  let used = 0;
  let piece = first;
  let passed = 0; // How much of what the first recipe makes comes before `piece`.
  for (let at = second; at < end; at += 3) {
    const source = from[at];
    const start = from[at + 1];
    const length = from[at + 2];
    if (source !== fromBase) {
      used = push(to, 0, used, source, start, length);
      continue;
    }
    const stop = start + length;
    while (passed + from[piece + 2] <= start) {
      passed += from[piece + 2];
      piece += 3;
    }
    for (let next = start; next < stop;) {
      const skipped = next - passed;
      const whole = from[piece + 2];
      const taken = Math.min(stop - next, whole - skipped);
      used = push(to, 0, used, from[piece], from[piece + 1] + skipped, taken);
      next += taken;
      if (skipped + taken === whole) {
        passed += whole;
        piece += 3;
      }
    }
  }
  return used;
}

/** Adds a piece, to the one before where it goes on; gives where the pieces end. */
function push(pieces: Int32Array, first: number, end: number, source: number, start: number, length: number): number {
  if (end > first && pieces[end - 3] === source && pieces[end - 2] + pieces[end - 1] === start) {
    pieces[end - 1] += length;
    return end;
  }
  pieces[end] = source;
  pieces[end + 1] = start;
  pieces[end + 2] = length;
  return end + 3;
}

function withRoom(numbers: Int32Array<ArrayBuffer>, used: number, needed: number): Int32Array<ArrayBuffer> {
  if (needed <= numbers.length) return numbers;
  const wide = new Int32Array(Math.max(needed, numbers.length * 2));
  wide.set(numbers.subarray(0, used));
  return wide;
}

function uint32(bytes: Buffer, at: number): number {
  return ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function malformed(subject: string, offset: number): Error {
  return corruptError(l10n.t('{0} is a delta with a hunk that cannot be, at {1}.', subject, offset), {
    subject,
    offset,
  });
}
