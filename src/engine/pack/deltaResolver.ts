import * as l10n from '@vscode/l10n';
import { existsSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { corruptError, integrityError } from '../io/errors';
import type { Operation } from '../io/operation';
import { ContentFile, contentSize, type Content } from './content';
import { applyDelta, DeltaFault } from './delta';
import { deltaPieces, deltaSizesOf, fitsInMemory } from './deltaStream';
import type { ReadingLimits } from './inflateContent';
import { streamObject, type StreamedObject } from './looseStream';
import { NameTable } from './nameTable';
import { hexName } from './objectFormat';
import type { ObjectKind } from './objectKind';
import type { ObjectSink } from './objectSink';
import type { ObjectStore } from './objectStore';
import { openForReading } from './packSource';
import { PendingDeltas } from './pendingDeltas';
import { readLooseObject } from './storedObject';

const pendingBytes = 16 * 1024 * 1024;

/** A base that is known: an entry of the pack, or (below zero) an object of the repository. */
interface Base {
  key: number;
  kind: ObjectKind;
}

/** Turns deltas into objects as soon as their bases are known, wherever those come from. */
export class DeltaResolver implements Disposable {
  readonly pending: PendingDeltas;
  /** Resolved names of the pack, from the first delta on that asks for a base by name. */
  private names: NameTable | undefined;
  private readonly namedEntries: number[] = [];
  private readonly outside = new Map<string, Base | undefined>();
  private readonly outsideNames: Uint8Array[] = [];

  constructor(
    private readonly sink: ObjectSink,
    private readonly store: ObjectStore,
    private readonly limits: ReadingLimits,
    private readonly operation: Operation,
    private readonly onStreamed: (entry: number, object: StreamedObject, why: string) => void,
  ) {
    this.pending = new PendingDeltas(limits.scratch, pendingBytes);
  }

  /**
   * Takes a delta whose base begins at `offset` of the pack.
   * @returns undefined when it was dealt with at once, which is the rule; else what must be waited for.
   * @throws `corrupt` when nothing begins there, or the delta does not apply.
   */
  addByOffset(entry: number, offset: number, delta: Content): Promise<void> | undefined {
    const { entries } = this.sink;
    const base = entries.atOffset(offset);
    if (base < 0) {
      throw this.corrupt(entry, l10n.t('is a delta on offset {0}, where no object begins', offset));
    }
    if (!entries.isResolved(base)) {
      this.wait(entry, base, delta);
      return undefined;
    }
    return this.resolve(entry, { key: base, kind: entries.kind(base) }, delta);
  }

  /** Takes a delta whose base has a name: it may be in the pack before or after it, or in the repository. */
  async addByName(entry: number, name: Uint8Array, delta: Content): Promise<void> {
    const known = this.named(name) ?? (await this.fromOutside(name));
    if (known === undefined) this.wait(entry, hexName(name), delta);
    else await this.resolve(entry, known, delta);
  }

  /** Notes that an entry is resolved, so that deltas may be built on it by name. */
  noteName(entry: number): void {
    if (this.names === undefined) return;
    const position = this.names.add(this.sink.entries.name(entry));
    if (position === this.namedEntries.length) this.namedEntries.push(entry);
  }

  /** Resolves what waited for an entry, and what waited for that: a list, not the call stack, holds the way. */
  async releaseWaiting(entry: number): Promise<void> {
    const ready = [entry];
    const { entries } = this.sink;
    for (let base = ready.pop(); base !== undefined; base = ready.pop()) {
      const waiting = [...this.pending.release(base), ...this.pending.release(hexName(entries.name(base)))];
      this.sink.deltas.waiting = this.pending.count;
      for (const pending of waiting) {
        await this.apply(pending.entry, { key: base, kind: entries.kind(base) }, pending.take());
        ready.push(pending.entry);
      }
    }
  }

  /** @throws `integrity` when a delta's base never came. */
  finish(): void {
    const first = this.pending.first();
    if (first === undefined) return;
    const { packName } = this.sink.parts;
    const offset = this.sink.entries.offsets[first.entry];
    throw integrityError(
      l10n.t(
        'The entry at offset {0} of {1} is a delta on the object {2}, which is neither in the pack nor in the repository{3}.',
        offset,
        packName,
        first.base,
        this.pending.count > 1 ? l10n.t('; {0} deltas wait like it', this.pending.count) : '',
      ),
      {
        subject: String(first.base),
        offset,
        advice: l10n.t('A thin pack can only be unpacked into a repository that has the objects it builds on.'),
      },
    );
  }

  [Symbol.dispose](): void {
    this.pending[Symbol.dispose]();
  }

  private wait(entry: number, base: number | string, delta: Content): void {
    this.pending.add(entry, base, delta);
    this.sink.deltas.waiting = this.pending.count;
  }

  private resolve(entry: number, base: Base, delta: Content): Promise<void> | undefined {
    const applied = this.apply(entry, base, delta);
    if (applied === undefined && this.pending.count === 0) return undefined;
    return (async () => {
      await applied;
      await this.releaseWaiting(entry);
    })();
  }

  /** Applies one delta: at once when all is in memory. */
  private apply(entry: number, base: Base, delta: Content): Promise<void> | undefined {
    const content = this.sink.cached(base.key);
    this.sink.deltas.resolved++;
    try {
      if (content !== undefined && fitsInMemory(content, delta, this.limits.inMemory)) {
        this.sink.keep(entry, base.kind, applyDelta(content as Uint8Array, delta as Uint8Array));
        this.noteName(entry);
        return undefined;
      }
    } catch (error) {
      throw this.asCorrupt(error, entry, base);
    }
    return this.applySlowly(entry, base, delta);
  }

  /** Applies a delta whose base must be fetched, or that is too large for memory somewhere. */
  private async applySlowly(entry: number, base: Base, delta: Content): Promise<void> {
    try {
      const content = await this.load(base);
      const { resultSize } = deltaSizesOf(delta);
      if (fitsInMemory(content, delta, this.limits.inMemory)) {
        this.sink.keep(entry, base.kind, applyDelta(content as Uint8Array, delta as Uint8Array));
      } else if (resultSize <= this.limits.inMemory) {
        const result = new Uint8Array(resultSize);
        let filled = 0;
        for (const piece of deltaPieces(content, delta)) {
          result.set(piece, filled);
          filled += piece.length;
        }
        this.sink.keep(entry, base.kind, result);
      } else {
        const { writer } = this.sink.parts;
        const pieces = deltaPieces(content, delta);
        const streamed = await streamObject(base.kind, resultSize, pieces, writer, this.operation);
        this.sink.keepWritten(entry, base.kind, resultSize, streamed.name);
        this.onStreamed(entry, streamed, l10n.t('its delta makes it larger than the threshold'));
      }
      this.noteName(entry);
    } catch (error) {
      throw this.asCorrupt(error, entry, base);
    } finally {
      if (delta instanceof ContentFile) delta[Symbol.dispose]();
    }
  }

  /** The content of a base: from the cache, else from its loose file, else from the repository. */
  private async load(base: Base): Promise<Content> {
    const cached = this.sink.cached(base.key);
    if (cached !== undefined) return cached;
    const { parts, entries, cache } = this.sink;
    const name = base.key >= 0 ? entries.name(base.key) : this.outsideNames[-1 - base.key];
    if (base.key >= 0) parts.ring.waitFor(entries.batches[base.key]);
    const hex = hexName(name);
    const path = join(parts.writer.target.quarantine, hex.slice(0, 2), hex.slice(2));
    let stored;
    if (base.key >= 0 && existsSync(path)) {
      const file = openForReading(path);
      try {
        stored = await readLooseObject(file, path, this.limits);
      } finally {
        closeSync(file);
      }
    } else stored = await this.store.read(name, this.limits);
    if (stored === undefined || (base.key >= 0 && contentSize(stored.content) !== entries.sizes[base.key])) {
      throw integrityError(l10n.t('The object {0} went away while it was needed.', hex), { subject: hex });
    }
    cache.put(base.key, stored.content);
    return stored.content;
  }

  private named(name: Uint8Array): Base | undefined {
    const { entries } = this.sink;
    if (this.names === undefined) {
      this.names = new NameTable(name.length);
      for (let entry = 0; entry < entries.count; entry++) if (entries.isResolved(entry)) this.noteName(entry);
    }
    const position = this.names.find(name);
    if (position < 0) return undefined;
    const entry = this.namedEntries[position];
    return { key: entry, kind: entries.kind(entry) };
  }

  private async fromOutside(name: Uint8Array): Promise<Base | undefined> {
    const hex = hexName(name);
    const known = this.outside.get(hex);
    if (known !== undefined || !this.store.has(name)) return known;
    const stored = await this.store.read(name, this.limits);
    if (stored === undefined) return undefined;
    const base: Base = { key: -1 - this.outsideNames.length, kind: stored.kind };
    this.outsideNames.push(name.slice());
    this.outside.set(hex, base);
    this.sink.cache.put(base.key, stored.content);
    return base;
  }

  private asCorrupt(error: unknown, entry: number, base: Base): unknown {
    if (!(error instanceof DeltaFault)) return error;
    const name = base.key >= 0 ? this.sink.entries.name(base.key) : this.outsideNames[-1 - base.key];
    return this.corrupt(
      entry,
      l10n.t('is a delta on {0} that does not apply: {1} (byte {2})', hexName(name), error.message, error.at),
    );
  }

  private corrupt(entry: number, what: string): Error {
    const { packName } = this.sink.parts;
    const offset = this.sink.entries.offsets[entry];
    return corruptError(l10n.t('The entry at offset {0} of {1} {2}.', offset, packName, what), {
      subject: packName,
      offset,
    });
  }
}
