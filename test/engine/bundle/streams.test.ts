import { deepEqual, equal, ok } from 'node:assert/strict';
import { readStreamV1, readStreamV1Head } from '../../../src/engine/bundle/streamV1';
import { readStreamV2 } from '../../../src/engine/bundle/streamV2';
import { ByteReader } from '../../../src/engine/io/byteReader';
import type { StreamSink } from '../../../src/engine/bundle/streamPayload';
import { cutEverywhere, flipBits, inPieces, outcomeOf } from '../../fixtures/damage';
import { streamV1, streamV2Payload, varint, type StreamedFile } from '../../fixtures/streams';

/** Keeps what a stream brings, and notices a reader that breaks its promises to a sink. */
class Kept implements StreamSink {
  readonly files = new Map<string, string>();
  private open: { name: string; left: number; text: string } | undefined;

  file(area: string, name: string, bytes: Uint8Array): void {
    ok(this.open === undefined, 'a file within another');
    this.files.set(`${area} ${name}`, Buffer.from(bytes).toString('latin1'));
  }

  begin(area: string, name: string, size: number): void {
    ok(this.open === undefined, 'a file within another');
    this.open = { name: `${area} ${name}`, left: size, text: '' };
  }

  write(bytes: Uint8Array): void {
    ok(this.open !== undefined, 'bytes without a file');
    this.open.text += Buffer.from(bytes).toString('latin1');
    this.open.left -= bytes.length;
    ok(this.open.left >= 0, 'more bytes than the file has');
  }

  close(): void {
    if (this.open?.left === 0) this.files.set(this.open.name, this.open.text);
    this.open = undefined;
  }
}

const files: StreamedFile[] = [
  { name: 'data/a.i', bytes: 'content of a' },
  { name: 'data/\xe9 b.i', bytes: '' },
  { name: 'data/large.d', bytes: 'large '.repeat(60) },
  { mark: 'c', name: 'branch2-served', bytes: 'cached' },
];
const stored = files.filter(({ mark }) => mark === undefined);
const sizeOf = (some: readonly StreamedFile[]) => some.reduce((sum, { bytes }) => sum + bytes.length, 0);
const filed = (some: readonly StreamedFile[]) =>
  new Map(some.map(({ mark, name, bytes }) => [`${mark === 'c' ? 'cache' : 'store'} ${name}`, bytes as string]));

async function readV2(bytes: Uint8Array, pieceSize = 11, totals = { files: files.length, bytes: sizeOf(files) }) {
  const kept = new Kept();
  const told: [number, number][] = [];
  await readStreamV2(new ByteReader(inPieces(bytes, pieceSize), 'stream'), totals, kept, (...done) => told.push(done));
  return { files: kept.files, told };
}

async function readV1(bytes: Uint8Array, pieceSize = 11) {
  const kept = new Kept();
  const reader = new ByteReader(inPieces(bytes, pieceSize), 'stream');
  const totals = await readStreamV1Head(reader);
  await readStreamV1(reader, totals, kept, () => undefined);
  return { files: kept.files, totals };
}

describe('reading the payload of a stream', () => {
  it('v2 gives every file of store and cache, in pieces of any size, and tells how far it is', async () => {
    for (const size of [1, 10, 10_000]) {
      const { files: read, told } = await readV2(streamV2Payload(files), size);
      deepEqual(read, filed(files));
      deepEqual(told.at(-1), [files.length, sizeOf(files)]);
      ok(
        told.every(([, bytes], at) => at === 0 || bytes >= told[at - 1][1]),
        'progress went backwards',
      );
    }
  });

  it('v1 gives every file of the store, in pieces of any size', async () => {
    for (const size of [1, 10, 10_000]) {
      const { files: read, totals } = await readV1(streamV1(stored), size);
      deepEqual(read, filed(stored));
      deepEqual(totals, { files: stored.length, bytes: sizeOf(stored) });
    }
  });

  it('says of a stream that is cut, wherever it is, that it is', async () => {
    for (const cut of cutEverywhere(streamV2Payload(files))) {
      const outcome = await outcomeOf(() => readV2(cut));
      equal('error' in outcome && outcome.error.kind, 'corrupt');
    }
    for (const cut of cutEverywhere(streamV1(stored))) ok('error' in (await outcomeOf(() => readV1(cut))));
  });

  it('comes to an end with any bit turned over, and never gives a file more than its size', async () => {
    const lengthOf = (read: ReadonlyMap<string, string>) =>
      [...read.values()].reduce((sum, text) => sum + text.length, 0);
    for (const flipped of flipBits(streamV2Payload(files), 1000)) {
      const outcome = await outcomeOf(() => readV2(flipped));
      if ('value' in outcome) equal(lengthOf(outcome.value.files), sizeOf(files));
    }
    for (const flipped of flipBits(streamV1(stored), 1000)) {
      const outcome = await outcomeOf(() => readV1(flipped));
      if ('value' in outcome) equal(lengthOf(outcome.value.files), sizeOf(stored));
    }
  });

  it('does not believe lengths', async () => {
    const huge = [2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER, 2 ** 53 * 8];
    for (const length of huge) {
      for (const bytes of [
        Buffer.concat([Buffer.from('s'), varint(length), varint(1), Buffer.from('data/a.i')]),
        Buffer.concat([Buffer.from('s'), varint(8), varint(length), Buffer.from('data/a.i')]),
        Buffer.concat([Buffer.from('s'), varint(0), varint(1), Buffer.from('x')]),
      ]) {
        const outcome = await outcomeOf(() => readV2(bytes));
        equal('error' in outcome && outcome.error.kind, 'corrupt');
      }
    }
    for (const size of ['99999999999999', '9'.repeat(40), '-1', '1e3', '']) {
      const outcome = await outcomeOf(() => readV1(Buffer.from(`0\n1 12\ndata/a.i\0${size}\ncontent`, 'latin1')));
      equal('error' in outcome && outcome.error.kind, 'corrupt', size);
    }
    const endless = Buffer.concat([Buffer.from('0\n1 12\n'), Buffer.alloc(100_000, 'n')]);
    const outcome = await outcomeOf(() => readV1(endless));
    equal('error' in outcome && outcome.error.kind, 'corrupt');
  });

  it('v1 tells a refusal, a lock and nonsense apart', async () => {
    for (const [head, kind] of [
      ['1\n', 'unsupported'],
      ['7\n', 'protocol'],
      ['0\nx\n', 'corrupt'],
      ['<html>\n', 'protocol'],
    ]) {
      const outcome = await outcomeOf(() => readV1(Buffer.from(head)));
      equal('error' in outcome && outcome.error.kind, kind, head);
    }
  });
});
