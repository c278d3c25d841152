/** Two stretches of texts as lines. Equal lines have equal numbers, whichever text they are in. */
export interface LineNumbers {
  oldCount: number;
  nowCount: number;
  /** The number of each line; valid until the next call, as are the starts. */
  oldLines: Int32Array;
  nowLines: Int32Array;
  /** Where each line begins in its text, and after the last where that ends. */
  oldStarts: Int32Array;
  nowStarts: Int32Array;
  /** One more than the largest number. */
  kinds: number;
}

const newline = 0x0a;
const seed = 0x811c_9dc5 | 0;
const factor = 0x0100_0193;
/** What is kept between calls, in lines: 1 MB for each array. */
const keptLines = 1 << 18;

/** One thread compares two texts at a time, so one set of arrays will do: nothing is allocated for a usual text. */
let room = newRoom(1 << 12);

/**
 * Divides parts of two texts into lines, each with its line end, and numbers them by content. Hot: one pass over the
 * bytes of each, and a table with open addressing in which equal hashes are compared byte for byte.
 */
export function numberLines(
  old: Buffer,
  oldFrom: number,
  oldTo: number,
  now: Buffer,
  nowFrom: number,
  nowTo: number,
): LineNumbers {
  if (room.capacity > keptLines) room = newRoom(1 << 12);
  const oldCount = split(old, oldFrom, oldTo, 'oldStarts', 'oldHashes');
  const nowCount = split(now, nowFrom, nowTo, 'nowStarts', 'nowHashes');
  const { oldStarts, nowStarts, oldHashes, nowHashes, oldLines, nowLines } = room;
  let size = 64;
  while (size < (oldCount + nowCount) * 2) size *= 2;
  if (room.slots.length < size) room.slots = new Int32Array(size);
  const slots = room.slots.subarray(0, size).fill(-1);
  const mask = size - 1;
  const firsts = room.firsts;
  let kinds = 0;
  // A kind's first line is told by its place: those of the new text come after those of the old one.
  for (let line = 0; line < oldCount + nowCount; line++) {
    const isOld = line < oldCount;
    const own = isOld ? line : line - oldCount;
    const hash = isOld ? oldHashes[own] : nowHashes[own];
    const text = isOld ? old : now;
    const start = isOld ? oldStarts[own] : nowStarts[own];
    const length = (isOld ? oldStarts[own + 1] : nowStarts[own + 1]) - start;
    let slot = (hash ^ (hash >>> 15)) & mask;
    let kind = -1;
    for (; slots[slot] >= 0; slot = (slot + 1) & mask) {
      const first = firsts[slots[slot]];
      const wasOld = first < oldCount;
      const at = wasOld ? first : first - oldCount;
      if ((wasOld ? oldHashes[at] : nowHashes[at]) !== hash) continue;
      const otherStart = wasOld ? oldStarts[at] : nowStarts[at];
      if ((wasOld ? oldStarts[at + 1] : nowStarts[at + 1]) - otherStart !== length) continue;
      if (isSame(text, start, wasOld ? old : now, otherStart, length)) {
        kind = slots[slot];
        break;
      }
    }
    if (kind < 0) {
      kind = kinds++;
      slots[slot] = kind;
      firsts[kind] = line;
    }
    if (isOld) oldLines[own] = kind;
    else nowLines[own] = kind;
  }
  return { oldCount, nowCount, oldLines, nowLines, oldStarts, nowStarts, kinds };
}

/** Notes where lines begin, and their hashes; gives how many there are. */
function split(
  text: Buffer,
  from: number,
  to: number,
  startsName: 'oldStarts' | 'nowStarts',
  hashesName: 'oldHashes' | 'nowHashes',
): number {
  let starts = room[startsName];
  let hashes = room[hashesName];
  let count = 0;
  let begin = from;
  let hash = seed;
  for (let at = from; at < to; at++) {
    const byte = text[at];
    hash = Math.imul(hash ^ byte, factor);
    if (byte !== newline) continue;
    if (count + 2 >= room.capacity) {
      grow();
      starts = room[startsName];
      hashes = room[hashesName];
    }
    starts[count] = begin;
    hashes[count++] = hash;
    begin = at + 1;
    hash = seed;
  }
  if (begin < to) {
    starts[count] = begin;
    hashes[count++] = hash;
  }
  starts[count] = to;
  return count;
}

/** Short lines are quicker compared here than by a call. */
function isSame(one: Buffer, at: number, other: Buffer, otherAt: number, length: number): boolean {
  if (length > 128) return one.compare(other, otherAt, otherAt + length, at, at + length) === 0;
  for (let byte = 0; byte < length; byte++) if (one[at + byte] !== other[otherAt + byte]) return false;
  return true;
}

function newRoom(capacity: number) {
  const lines = () => new Int32Array(capacity);
  return {
    capacity,
    oldStarts: lines(),
    nowStarts: lines(),
    oldHashes: lines(),
    nowHashes: lines(),
    oldLines: lines(),
    nowLines: lines(),
    firsts: new Int32Array(capacity * 2),
    slots: new Int32Array(capacity),
  };
}

function grow(): void {
  const wide = newRoom(room.capacity * 2);
  wide.oldStarts.set(room.oldStarts);
  wide.nowStarts.set(room.nowStarts);
  wide.oldHashes.set(room.oldHashes);
  wide.nowHashes.set(room.nowHashes);
  room = wide;
}
