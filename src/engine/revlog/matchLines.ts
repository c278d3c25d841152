import type { LineNumbers } from './diffLines';

/** Edits after which the way found so far is taken: what two texts without likeness would cost grows with its square. */
const mostEdits = 1000;

/**
 * Finds lines that two texts have in common, in order: pairs of line numbers. Lines that only one text has are left out
 * first; among the others, the way from one text to the other with the fewest edits is taken. Where that needs very many,
 * the farthest way of those found so far is gone to its end, and the search begins again there.
 *
 * The search is that of E. W. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986).
 */
export function matchLines(lines: LineNumbers): Int32Array {
  const inOld = new Uint8Array(lines.kinds);
  const inNow = new Uint8Array(lines.kinds);
  for (let line = 0; line < lines.oldCount; line++) inOld[lines.oldLines[line]] = 1;
  for (let line = 0; line < lines.nowCount; line++) inNow[lines.nowLines[line]] = 1;
  const old = common(lines.oldLines, lines.oldCount, inNow);
  const now = common(lines.nowLines, lines.nowCount, inOld);
  const search = new EditSearch(lines, old, now);
  let [x, y] = [0, 0];
  while (x < old.length && y < now.length) [x, y] = search.from(x, y);
  return search.matches.subarray(0, search.matched);
}

/** The lines that the other text has too. */
function common(lines: Int32Array, count: number, isThere: Uint8Array): Int32Array {
  const kept = new Int32Array(count);
  let size = 0;
  for (let line = 0; line < count; line++) if (isThere[lines[line]] === 1) kept[size++] = line;
  return kept.subarray(0, size);
}

class EditSearch {
  readonly matches: Int32Array;
  matched = 0;
  /** How far each diagonal was followed, one array for each number of edits. */
  private readonly reached: Int32Array[] = [];

  constructor(
    private readonly lines: LineNumbers,
    private readonly old: Int32Array,
    private readonly now: Int32Array,
  ) {
    this.matches = new Int32Array(2 * Math.min(old.length, now.length));
  }

  /** Notes matches on the way from here; gives where the way ended. */
  from(x0: number, y0: number): [number, number] {
    const [width, height] = [this.old.length - x0, this.now.length - y0];
    let best = 0;
    let bestEdits = 0;
    let bestDiagonal = 0;
    for (let edits = 0; ; edits++) {
      const before = edits === 0 ? undefined : this.reached[edits - 1];
      const row = this.row(edits);
      const middle = edits + 1;
      for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
        if (diagonal > width || -diagonal > height) continue;
        let x = before === undefined ? 0 : stepTo(before, edits, diagonal, width, height);
        if (x < 0) {
          row[middle + diagonal] = -1;
          continue;
        }
        x = this.slide(x0, y0, x, x - diagonal, width, height);
        row[middle + diagonal] = x;
        if (2 * x - diagonal > best) {
          best = 2 * x - diagonal;
          bestEdits = edits;
          bestDiagonal = diagonal;
        }
        if (x === width && x - diagonal === height) {
          this.note(x0, y0, edits, diagonal);
          return [x0 + width, y0 + height];
        }
      }
      if (edits === mostEdits) {
        if (best === 0) return [x0 + 1, y0];
        return this.note(x0, y0, bestEdits, bestDiagonal);
      }
    }
  }

  /** Follows equal lines. */
  private slide(x0: number, y0: number, fromX: number, fromY: number, width: number, height: number): number {
    const { oldLines, nowLines } = this.lines;
    const { old, now } = this;
    let [x, y] = [fromX, fromY];
    while (x < width && y < height && oldLines[old[x0 + x]] === nowLines[now[y0 + y]]) {
      x++;
      y++;
    }
    return x;
  }

  /** Goes the way back, and notes its matches in order; gives where it ends. */
  private note(x0: number, y0: number, edits: number, diagonal: number): [number, number] {
    const [width, height] = [this.old.length - x0, this.now.length - y0];
    const end = this.reached[edits][edits + 1 + diagonal];
    const result: [number, number] = [x0 + end, y0 + end - diagonal];
    const first = this.matched;
    let at = diagonal;
    for (let count = edits; ; count--) {
      const x = this.reached[count][count + 1 + at];
      const before = count === 0 ? undefined : this.reached[count - 1];
      const start = before === undefined ? 0 : stepTo(before, count, at, width, height);
      for (let match = x - 1; match >= start; match--) {
        this.matches[this.matched++] = this.now[y0 + match - at];
        this.matches[this.matched++] = this.old[x0 + match];
      }
      if (before === undefined) break;
      at += isDown(before, count, at, width, height) ? 1 : -1;
    }
    this.matches.subarray(first, this.matched).reverse();
    return result;
  }

  private row(edits: number): Int32Array {
    if (this.reached.length === edits) this.reached.push(new Int32Array(2 * edits + 3));
    return this.reached[edits].fill(-1);
  }
}

/** Where a diagonal is entered by one more edit: from the one above or below that got farther; -1 for neither. */
function stepTo(before: Int32Array, edits: number, diagonal: number, width: number, height: number): number {
  const down = downTo(before, edits, diagonal, height);
  const right = rightTo(before, edits, diagonal, width);
  return Math.max(down, right);
}

function isDown(before: Int32Array, edits: number, diagonal: number, width: number, height: number): boolean {
  return downTo(before, edits, diagonal, height) >= rightTo(before, edits, diagonal, width);
}

function downTo(before: Int32Array, edits: number, diagonal: number, height: number): number {
  const x = diagonal + 1 > edits - 1 ? -1 : before[edits + diagonal + 1];
  return x >= 0 && x - diagonal <= height ? x : -1;
}

function rightTo(before: Int32Array, edits: number, diagonal: number, width: number): number {
  const x = diagonal - 1 < 1 - edits ? -1 : before[edits + diagonal - 1];
  return x >= 0 && x + 1 <= width ? x + 1 : -1;
}
