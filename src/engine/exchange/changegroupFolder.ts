import * as l10n from '@vscode/l10n';
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChangegroupRevision } from '../bundle/changegroupReader';
import { corruptError } from '../io/errors';
import { writeAll } from '../io/writeAll';
import { nodeAt, type Node } from '../revlog/node';

/** What is kept of a revision: its delta, and where that applies. */
export type KeptRevision = Omit<ChangegroupRevision, 'link'>;

/** In the order of a record: four nodes, the offset of the delta and its length, the flags. */
const recordLength = 4 * 20 + 8 + 4 + 4;
const bufferLength = 256 * 1024;

/** Which records of the index belong to a history. */
type Range = [first: number, count: number];

/**
 * Writes a changegroup to a folder as it comes, so that single texts can be put together later: `deltas` has the deltas one
 * after another, `index` a record of 96 bytes for each, `histories.json` which records are whose. In memory there is one
 * buffer, and an entry for each history.
 */
export class ChangegroupFolderWriter implements Disposable {
  private readonly deltas: BufferedFile;
  private readonly index: BufferedFile;
  private readonly ranges = new Map<string, Range>();
  private count = 0;

  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.deltas = new BufferedFile(join(folder, 'deltas'));
    this.index = new BufferedFile(join(folder, 'index'));
  }

  /** @param history the store's name of it, `00changelog.i`, `data/PATH.i`; its revisions come one after another */
  add(history: string, { node, p1, p2, base, flags, delta }: ChangegroupRevision): void {
    const range = this.ranges.get(history) ?? [this.count, 0];
    this.ranges.set(history, range);
    if (range[0] + range[1] !== this.count) {
      throw corruptError(l10n.t('The changegroup has {0} twice.', JSON.stringify(history.slice(0, 200))), {
        subject: history,
      });
    }
    const record = Buffer.alloc(recordLength);
    record.write(node + p1 + p2 + base, 'hex');
    record.writeDoubleBE(this.deltas.length, 80);
    record.writeUInt32BE(delta.length, 88);
    record.writeUInt32BE(flags, 92);
    this.index.write(record);
    this.deltas.write(delta);
    range[1]++;
    this.count++;
  }

  /** Makes the folder readable. */
  finish(): void {
    this.deltas.flush();
    this.index.flush();
    writeFileSync(join(this.folder, 'histories.json'), JSON.stringify(Object.fromEntries(this.ranges)));
  }

  [Symbol.dispose](): void {
    this.deltas[Symbol.dispose]();
    this.index[Symbol.dispose]();
  }
}

/** Reads what {@link ChangegroupFolderWriter} has written. */
export class ChangegroupFolder implements Disposable {
  private readonly ranges: ReadonlyMap<string, Range>;
  private readonly deltas: number;
  private readonly index: number;
  private known: { history: string; records: Buffer; places: Map<Node, number> } | undefined;

  /** @throws the file system's `ENOENT` when the folder is gone */
  constructor(folder: string) {
    this.ranges = parseRanges(readFileSync(join(folder, 'histories.json'), 'utf8'));
    this.deltas = openSync(join(folder, 'deltas'), 'r');
    this.index = openSync(join(folder, 'index'), 'r');
  }

  /** The revision of a history that has this node; undefined when it did not come. */
  find(history: string, node: Node): KeptRevision | undefined {
    const { records, places } = this.recordsOf(history);
    const at = places.get(node);
    if (at === undefined) return undefined;
    const delta = readAt(this.deltas, records.readDoubleBE(at + 80), records.readUInt32BE(at + 88));
    const [p1, p2, base] = [20, 40, 60].map((start) => nodeAt(records, at + start));
    return { node, p1, p2, base, flags: records.readUInt32BE(at + 92), delta };
  }

  [Symbol.dispose](): void {
    closeSync(this.deltas);
    closeSync(this.index);
  }

  /** Those of one history at a time: a chain stays in one. */
  private recordsOf(history: string): { records: Buffer; places: Map<Node, number> } {
    if (this.known?.history === history) return this.known;
    const [first, count] = this.ranges.get(history) ?? [0, 0];
    const records = readAt(this.index, first * recordLength, count * recordLength);
    const places = new Map<Node, number>();
    for (let at = 0; at < records.length; at += recordLength) places.set(nodeAt(records, at), at);
    this.known = { history, records, places };
    return this.known;
  }
}

function parseRanges(text: string): Map<string, Range> {
  try {
    return new Map(Object.entries(JSON.parse(text) as Record<string, Range>));
  } catch (error) {
    throw damaged(error);
  }
}

/** @throws `corrupt` when there are no such bytes; what is not there costs no memory */
function readAt(file: number, offset: number, length: number): Buffer {
  const isThere = offset >= 0 && length >= 0 && offset + length <= fstatSync(file).size;
  if (!isThere || !Number.isSafeInteger(offset) || !Number.isSafeInteger(length)) throw damaged();
  const buffer = Buffer.alloc(length);
  for (let at = 0; at < length;) {
    const count = readSync(file, buffer, at, length - at, offset + at);
    if (count === 0) throw damaged();
    at += count;
  }
  return buffer;
}

function damaged(cause?: unknown): Error {
  return corruptError(l10n.t('What was kept of the incoming changesets is damaged.'), {
    advice: l10n.t('Look for incoming changesets again.'),
    cause,
  });
}

/** A file that grows, written in large pieces. */
class BufferedFile implements Disposable {
  private readonly file: number;
  private readonly buffer = Buffer.allocUnsafe(bufferLength);
  private filled = 0;
  length = 0;

  constructor(path: string) {
    this.file = openSync(path, 'wx', 0o600);
  }

  write(bytes: Uint8Array): void {
    this.length += bytes.length;
    if (this.filled + bytes.length > this.buffer.length) this.flush();
    if (bytes.length > this.buffer.length) writeAll(this.file, bytes);
    else {
      this.buffer.set(bytes, this.filled);
      this.filled += bytes.length;
    }
  }

  flush(): void {
    writeAll(this.file, this.buffer.subarray(0, this.filled));
    this.filled = 0;
  }

  [Symbol.dispose](): void {
    closeSync(this.file);
  }
}
