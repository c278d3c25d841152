import { alwaysDeflated, isCompressible } from '../compression/compressibility';
import type { Operation } from '../io/operation';
import { BaseCache } from './baseCache';
import type { Content } from './content';
import { EntryTable } from './entryTable';
import type { LinkCheck } from './linkCheck';
import { looseHeadLength, putLooseHead, putLooseTail, zlibHeadLength, zlibTailLength } from './looseEnvelope';
import type { LooseWriter } from './looseWriter';
import { objectName } from './objectFormat';
import { looseHeader, type ObjectKind } from './objectKind';
import type { WriteRing } from './writeRing';

const cacheBytes = 24 * 1024 * 1024;
/** Below this size a zlib stream is longer than its content for reasons of its own. */
const smallest = 128;

/** What the parts of an unpacking share. */
export interface SinkParts {
  packName: string;
  writer: LooseWriter;
  ring: WriteRing;
  links: LinkCheck | undefined;
  operation: Operation;
}

/** Takes objects whose content is known, names them and sends them to be written. */
export class ObjectSink implements Disposable {
  readonly entries: EntryTable;
  readonly cache = new BaseCache(cacheBytes);
  /** Objects by kind; the first cell is unused. */
  readonly kinds = [0, 0, 0, 0, 0];
  /** Deltas that were turned into objects, and those that wait for their base. */
  readonly deltas = { resolved: 0, waiting: 0 };

  constructor(readonly parts: SinkParts) {
    this.entries = new EntryTable(parts.writer.target.format);
  }

  /**
   * Takes an object that is in memory. `packed` is its zlib stream, where the pack has it whole: it is not deflated again
   * unless the pack did not deflate it either. Called for every small object: nothing here may wait.
   */
  keep(entry: number, kind: ObjectKind, content: Uint8Array, packed?: Uint8Array): void {
    const { writer, ring, links, packName } = this.parts;
    const size = content.length;
    const header = looseHeader(kind, size);
    const name = objectName(writer.target.format, header, content);
    this.resolved(entry, kind, size, name);
    links?.add(kind, name, content, this.entries.offsets[entry], packName);
    if (packed !== undefined && isWellDeflated(content, packed)) {
      const length = looseHeadLength(header) + packed.length - zlibHeadLength;
      if (ring.reserve(name, length, true)) {
        putDeflated(ring.bytes, ring.at, header, size, packed);
        this.passOn(entry, length);
      } else ring.writeNow(name, deflatedParts(header, size, packed), true);
    } else if (ring.reserve(name, header.length + size, false)) {
      ring.bytes.set(header, ring.at);
      ring.bytes.set(content, ring.at + header.length);
      this.passOn(entry, header.length + size);
    } else ring.writeNow(name, [header, content], false);
    this.cache.put(entry, content);
  }

  /** Takes note of an object that was written as a stream. */
  keepWritten(entry: number, kind: ObjectKind, size: number, name: Uint8Array): void {
    this.resolved(entry, kind, size, name);
    this.parts.links?.addBlob(kind, name);
  }

  /** The content of an object that was kept, if it is still at hand. */
  cached(entry: number): Content | undefined {
    return this.cache.get(entry);
  }

  [Symbol.dispose](): void {
    this.cache[Symbol.dispose]();
  }

  private passOn(entry: number, length: number): void {
    const { ring } = this.parts;
    ring.at += length;
    this.entries.batches[entry] = ring.batch;
  }

  private resolved(entry: number, kind: ObjectKind, size: number, name: Uint8Array): void {
    this.entries.kinds[entry] = kind;
    this.entries.sizes[entry] = size;
    this.entries.setName(entry, name);
    this.kinds[kind]++;
  }
}

/** Whether the pack's own zlib stream is worth keeping: it is smaller than the content, or no other would be. */
function isWellDeflated(content: Uint8Array, packed: Uint8Array): boolean {
  const { length } = content;
  if (packed.length < length || length < smallest) return true;
  return length > alwaysDeflated && !isCompressible(content);
}

function putDeflated(target: Uint8Array, at: number, header: Uint8Array, size: number, packed: Uint8Array): void {
  const tailAt = packed.length - zlibTailLength;
  const bodyAt = at + looseHeadLength(header);
  putLooseHead(target, at, header);
  target.set(packed.subarray(zlibHeadLength, tailAt), bodyAt);
  putLooseTail(target, bodyAt + tailAt - zlibHeadLength, header, size, packed, tailAt);
}

/** The same without a copy, for objects that are too large to copy. */
function deflatedParts(header: Uint8Array, size: number, packed: Uint8Array): Uint8Array[] {
  const tailAt = packed.length - zlibTailLength;
  const head = new Uint8Array(looseHeadLength(header));
  const tail = new Uint8Array(zlibTailLength);
  putLooseHead(head, 0, header);
  putLooseTail(tail, 0, header, size, packed, tailAt);
  return [head, packed.subarray(zlibHeadLength, tailAt), tail];
}
