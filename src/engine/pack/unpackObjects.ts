import * as l10n from '@vscode/l10n';
import { throwIfCancelled, type Operation } from '../io/operation';
import { readBundleHeader, type BundleHeader } from './bundleHeader';
import { ContentFile } from './content';
import { DeltaResolver } from './deltaResolver';
import type { EntryTable } from './entryTable';
import { emptyEntryHeader, longestEntryHeader, readEntryHeader, type EntryHeader } from './entryHeader';
import { GrowingBytes, inflateContent, type ReadingLimits } from './inflateContent';
import { inflateInWindow, largestInWindow, packedBound, packedLength, streamChunk } from './inflateEntry';
import { LinkCheck } from './linkCheck';
import { LooseWriter, type LooseTarget } from './looseWriter';
import { streamPackedObject, type StreamedObject } from './looseStream';
import { hexName, nameOfHex, newHash } from './objectFormat';
import { isObjectKind, kindNames, packType, type ObjectKind } from './objectKind';
import { ObjectSink } from './objectSink';
import { ObjectStore } from './objectStore';
import { readPackHeader } from './packHeader';
import type { PackSource } from './packSource';
import { PackWindow } from './packWindow';
import { missingPrerequisites, otherFormat, trailingBytes, wrongChecksum } from './packFaults';
import { releaseFanout } from './quarantine';
import { UnpackProgress } from './unpackProgress';
import { WriteRing, type RingMemory } from './writeRing';

/** How a pack is to be unpacked. */
export interface UnpackSettings {
  target: LooseTarget;
  /** Bytes above which an object is not held in memory. */
  bigFileThreshold: number;
  /** Whether every object must be well formed, and every object that one names be there. */
  strict: boolean;
  /** Whether missing bytes were lost on a network or in a file. */
  origin: 'network' | 'corrupt';
  ring: RingMemory;
}

/** What an unpacking did. */
export interface UnpackTotals {
  packVersion: number;
  /** The pack's checksum, in hexadecimal digits. */
  checksum: string;
  bundle?: BundleHeader;
  objects: number;
  kinds: { commit: number; tree: number; blob: number; tag: number };
  deltas: number;
  /** Loose objects that were written, and those that the repository had before. */
  written: number;
  existing: number;
  /** Bytes of the pack, of all objects, and of the files that were written. */
  packBytes: number;
  objectBytes: number;
  looseBytes: number;
  /** Objects that went through the fixed buffer, of which the first hundred are told. */
  streamedObjects: number;
  streamed: { name: string; kind: string; size: number; reason: string }[];
  bigFileThreshold: number;
  bufferBytes: number;
  /** The most resident memory that was seen, in bytes, of the whole process. */
  peakMemory: number;
}

const mostStreamedTold = 100;
/** Trees and commits that a strict check must see whole. */
const largestChecked = 256 * 1024 * 1024;

/**
 * Unpacks a pack or bundle into loose objects, in the thread that calls: reads entry after entry, resolves deltas, sends
 * objects to be written, and moves them into the repository once the whole pack has proved sound. Other threads may help
 * with the writing, by `serveWrites` over the same ring.
 *
 * @param onSound is told when the pack has proved sound, and may keep the objects from the repository.
 * @throws `corrupt` or `integrity` with offset and object for a pack that is not sound, `network` or `corrupt` for one
 *   that ends early, `unsupported` for versions and capabilities that are not known, `destination` when the repository
 *   cannot be written, `cancelled`. Nothing has come into the repository then.
 */
export async function unpackObjects(
  source: PackSource,
  settings: UnpackSettings,
  operation: Operation,
  onSound: (entries: EntryTable) => 'release' | 'leave' = () => 'release',
): Promise<UnpackTotals> {
  const { target } = settings;
  using store = new ObjectStore(target.objects, target.format);
  using writer = new LooseWriter(target);
  const ring = new WriteRing(settings.ring, writer, operation);
  try {
    const window = new PackWindow(source, settings.origin);
    const bundle = await readBundleHeader(window);
    if (bundle !== undefined) checkBundle(bundle, store, target, source.name);
    window.beginPack(newHash(target.format));
    const { version, count } = await readPackHeader(window);

    const links = settings.strict ? new LinkCheck(target.format) : undefined;
    using sink = new ObjectSink({ packName: source.name, writer, ring, links, operation });
    const progress = new UnpackProgress(operation, ring, sink, source.totalBytes, count);
    using reading = new PackReading(window, settings, store, sink, progress, operation);
    for (let entry = 0; entry < count; entry++) {
      if (window.available < longestEntryHeader) await window.fill(longestEntryHeader);
      const work = reading.takeEntry();
      if (work !== undefined) await work;
      progress.atEntry(window.offset);
    }
    reading.resolver.finish();
    const checksum = await readTrailer(window, target.format.nameLength);
    ring.drain();
    links?.finish(store, source.name);
    progress.read(window.offset);
    if (onSound(sink.entries) === 'release') {
      ring.releaseAll((first) => releaseFanout(target.quarantine, target.objects, first, target.fsync));
    }
    return { packVersion: version, checksum, bundle, ...reading.totals(), ...progress.finish() };
  } finally {
    ring.close();
  }
}

/** Reads entries one after the other. */
class PackReading implements Disposable {
  readonly resolver: DeltaResolver;
  private readonly header: EntryHeader = emptyEntryHeader();
  private readonly limits: ReadingLimits;
  /** Bytes up to which an object takes the fast way. */
  private readonly inWindow: number;
  private readonly streamed: UnpackTotals['streamed'] = [];
  private streamedObjects = 0;

  constructor(
    private readonly window: PackWindow,
    private readonly settings: UnpackSettings,
    store: ObjectStore,
    private readonly sink: ObjectSink,
    private readonly progress: UnpackProgress,
    private readonly operation: Operation,
  ) {
    const inMemory = settings.bigFileThreshold;
    this.inWindow = Math.min(inMemory, largestInWindow);
    this.limits = { inMemory, scratch: settings.target.quarantine, operation };
    this.resolver = new DeltaResolver(sink, store, this.limits, operation, (entry, object, reason) => {
      this.tellStreamed(entry, object, reason);
    });
  }

  /**
   * Takes the next entry. A small object whose base is at hand is done when this returns: the loop over a pack's entries
   * neither waits nor makes promises for those.
   */
  takeEntry(): Promise<void> | undefined {
    const { window, header } = this;
    const { nameLength } = this.settings.target.format;
    const offset = window.offset;
    const isWhole = readEntryHeader(window.buffer, window.at, window.end, nameLength, offset, window.name, header);
    if (!isWhole) throw window.endedEarly(l10n.t('the entry that begins at offset {0}', offset));
    const entry = this.sink.entries.add(offset);
    const isInWindow = header.size <= this.inWindow;
    if (!isInWindow || window.available < header.length + packedBound(header.size)) return this.takeSlowly(entry);
    const inflated = this.inflate(offset);
    if (inflated === undefined) return this.takeSlowly(entry);
    const packedAt = window.at + header.length;
    const packedEnd = packedAt + packedLength;
    if (isObjectKind(header.type)) {
      this.sink.keep(entry, header.type, inflated, window.buffer.subarray(packedAt, packedEnd));
      window.at = packedEnd;
      return this.afterObject(entry);
    }
    const name = this.baseName();
    window.at = packedEnd;
    return name === undefined
      ? this.resolver.addByOffset(entry, offset - header.distance, inflated)
      : this.resolver.addByName(entry, name, inflated);
  }

  totals() {
    const { streamed, streamedObjects } = this;
    const { bigFileThreshold } = this.settings;
    return { deltas: this.sink.deltas.resolved, streamed, streamedObjects, bigFileThreshold, bufferBytes: streamChunk };
  }

  [Symbol.dispose](): void {
    this.resolver[Symbol.dispose]();
  }

  /** The one-shot inflate, behind the header. */
  private inflate(offset: number): Uint8Array | undefined {
    const { window, header } = this;
    window.at += header.length;
    try {
      return inflateInWindow(window, header.size, offset);
    } finally {
      window.at -= header.length;
    }
  }

  /** Takes an entry that is large, or that lies at the window's end. */
  private async takeSlowly(entry: number): Promise<void> {
    const { window, header, sink } = this;
    const { type, size, distance } = header;
    const offset = window.offset;
    const name = this.baseName();
    window.at += header.length;
    throwIfCancelled(this.operation);
    if (isObjectKind(type)) {
      if (size > this.threshold(type)) await this.stream(entry, type, size, offset);
      else {
        const packed = new GrowingBytes(packedBound(size));
        const content = await inflateContent(window, size, offset, this.limitsFor(type), {
          packed: (bytes) => packed.append(bytes),
        });
        // Within the limit the content is in memory.
        sink.keep(entry, type, content as Uint8Array, packed.bytes);
      }
      await this.afterObject(entry);
      return;
    }
    const delta = await inflateContent(window, size, offset, this.limits);
    try {
      if (name === undefined) await this.resolver.addByOffset(entry, offset - distance, delta);
      else await this.resolver.addByName(entry, name, delta);
    } catch (error) {
      if (delta instanceof ContentFile) delta[Symbol.dispose]();
      throw error;
    }
  }

  /** A strict check looks at trees and commits whole, so those are streamed only when they are beyond all measure. */
  private threshold(kind: ObjectKind): number {
    const { strict, bigFileThreshold } = this.settings;
    return strict && kind !== packType.blob ? Math.max(bigFileThreshold, largestChecked) : bigFileThreshold;
  }

  private limitsFor(kind: ObjectKind): ReadingLimits {
    return { ...this.limits, inMemory: this.threshold(kind) };
  }

  private async stream(entry: number, kind: ObjectKind, size: number, offset: number): Promise<void> {
    const { window, sink, operation, progress } = this;
    const onPiece = () => progress.atPiece(window.offset);
    const object = await streamPackedObject(window, kind, size, offset, sink.parts.writer, operation, onPiece);
    sink.keepWritten(entry, kind, size, object.name);
    this.tellStreamed(entry, object, l10n.t('it is larger than the threshold'));
  }

  private afterObject(entry: number): Promise<void> | undefined {
    this.resolver.noteName(entry);
    return this.resolver.pending.count === 0 ? undefined : this.resolver.releaseWaiting(entry);
  }

  private baseName(): Uint8Array | undefined {
    const { header, window } = this;
    if (header.type !== packType.nameDelta) return undefined;
    return window.buffer.slice(header.baseNameAt, header.baseNameAt + this.settings.target.format.nameLength);
  }

  private tellStreamed(entry: number, object: StreamedObject, reason: string): void {
    const { entries, parts } = this.sink;
    parts.ring.shareCounts();
    const name = hexName(object.name);
    const kind = kindNames[entries.kind(entry)];
    const size = entries.sizes[entry];
    this.operation.progress({ type: 'note', name: 'streamed', value: `${kind} ${name}, ${size} bytes: ${reason}` });
    if (this.streamedObjects++ < mostStreamedTold) this.streamed.push({ name, kind, size, reason });
  }
}

function checkBundle(bundle: BundleHeader, store: ObjectStore, target: LooseTarget, name: string): void {
  if (bundle.format.name !== target.format.name) throw otherFormat(name, bundle.format.name, target.format.name);
  const missing = bundle.prerequisites.filter((prerequisite) => {
    const bytes = nameOfHex(bundle.format, prerequisite.name);
    return bytes === undefined || !store.has(bytes);
  });
  if (missing.length > 0) throw missingPrerequisites(name, missing);
}

/** The checksum of all that came before ends the pack, and nothing follows. */
async function readTrailer(window: PackWindow, nameLength: number): Promise<string> {
  const expected = hexName(window.digest());
  await window.fill(nameLength + 1);
  if (window.available < nameLength) throw window.endedEarly(l10n.t('its checksum'));
  const found = hexName(window.buffer, window.at, nameLength);
  if (found !== expected) throw wrongChecksum(window.name, window.offset, expected, found);
  window.at += nameLength;
  if (window.available > 0) throw trailingBytes(window.name, window.offset);
  return found;
}
