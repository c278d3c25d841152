import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { deflateSync } from 'node:zlib';
import { openBundle2, type Bundle2Part } from '../../../src/engine/bundle/bundle2Reader';
import { throwErrorPart } from '../../../src/engine/bundle/errorPart';
import { partBytes } from '../../../src/engine/bundle/partBytes';
import { ByteReader } from '../../../src/engine/io/byteReader';
import { cutEverywhere, flipBits, inPieces, outcomeOf } from '../../fixtures/damage';
import { bundleOf, part, partHeader, sized } from '../../fixtures/streams';

interface ReadPart {
  type: string;
  mandatory: boolean;
  parameters: Record<string, string>;
  payload: string;
}

async function describePart(read: Bundle2Part): Promise<ReadPart> {
  const payload = Buffer.from(await partBytes(read, 1 << 20)).toString('latin1');
  return { type: read.type, mandatory: read.mandatory, parameters: Object.fromEntries(read.parameters), payload };
}

/** Every part, and those that interrupted them. */
async function readAll(bytes: Uint8Array, pieceSize = 7): Promise<{ parts: ReadPart[]; interrupts: ReadPart[] }> {
  const interrupts: ReadPart[] = [];
  const reader = new ByteReader(inPieces(bytes, pieceSize), 'bundle');
  const bundle = await openBundle2(reader, async (interrupt) => void interrupts.push(await describePart(interrupt)));
  const parts: ReadPart[] = [];
  for await (const read of bundle.parts) parts.push(await describePart(read));
  return { parts, interrupts };
}

const interruption = Buffer.concat([
  Buffer.from([0xff, 0xff, 0xff, 0xff]),
  part(partHeader('output'), Buffer.from('said in between')),
]);
const interrupted = Buffer.concat([
  sized(partHeader('CHANGEGROUP', { version: '02' }, { nbchanges: '3' }, 7)),
  sized(Buffer.from('first ')),
  interruption,
  sized(Buffer.from('second')),
  Buffer.alloc(4),
]);
const sample = bundleOf([
  part(partHeader('bookmarks'), Buffer.from('x'.repeat(100)), 30),
  interrupted,
  part(partHeader('Listkeys', { namespace: 'phases' }), Buffer.alloc(0)),
]);

describe('reading a bundle2 stream', () => {
  it('gives parts with parameters and payloads, and what interrupts them, in pieces of any size', async () => {
    for (const size of [1, 3, 50, 10_000]) {
      const { parts, interrupts } = await readAll(sample, size);
      deepEqual(parts, [
        { type: 'bookmarks', mandatory: false, parameters: {}, payload: 'x'.repeat(100) },
        {
          type: 'changegroup',
          mandatory: true,
          parameters: { version: '02', nbchanges: '3' },
          payload: 'first second',
        },
        { type: 'listkeys', mandatory: true, parameters: { namespace: 'phases' }, payload: '' },
      ]);
      deepEqual(interrupts, [{ type: 'output', mandatory: false, parameters: {}, payload: 'said in between' }]);
    }
  });

  it('undoes the compression that its parameters tell', async () => {
    const body = sample.subarray(8);
    const packed = Buffer.concat([Buffer.from('HG20'), sized(Buffer.from('Compression=GZ')), deflateSync(body)]);
    deepEqual(await readAll(packed), await readAll(sample));
  });

  it('passes over payloads that nobody reads', async () => {
    const types: string[] = [];
    const bundle = await openBundle2(new ByteReader(inPieces(sample, 5), 'bundle'), () => undefined);
    for await (const { type } of bundle.parts) types.push(type);
    deepEqual(types, ['bookmarks', 'changegroup', 'listkeys']);
  });

  it('refuses a mandatory part in between by its name, and lets others pass', async () => {
    const shout = Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 0xff]), part(partHeader('SHOUT'), Buffer.from('x'))]);
    const bytes = bundleOf([Buffer.concat([sized(partHeader('a')), shout, sized(Buffer.from('y')), Buffer.alloc(4)])]);
    const bundle = await openBundle2(new ByteReader(inPieces(bytes, 9), 'bundle'));
    await rejects(
      async () => {
        for await (const read of bundle.parts) await partBytes(read);
      },
      { kind: 'unsupported', subject: 'shout' },
    );
  });

  it('throws what an error part says, fit to be shown', async () => {
    const cases: [Buffer, object][] = [
      [
        partHeader('ERROR:ABORT', { message: 'no\x1b[31m\nway.' }, { hint: 'elsewhere' }),
        { kind: 'protocol', message: 'The server gave up: no [31m way.', advice: 'elsewhere' },
      ],
      [partHeader('ERROR:UNSUPPORTEDCONTENT', { parttype: 'x' }), { kind: 'unsupported', subject: 'x' }],
      [partHeader('ERROR:PUSHRACED'), { kind: 'protocol' }],
    ];
    for (const [header, expected] of cases) {
      const bundle = await openBundle2(
        new ByteReader(inPieces(bundleOf([part(header, Buffer.alloc(0))]), 9), 'bundle'),
      );
      await rejects(async () => {
        for await (const read of bundle.parts) throwErrorPart(read);
      }, expected);
    }
  });

  it('says of a stream that is cut, wherever it is, that it is', async () => {
    for (const cut of cutEverywhere(sample)) {
      const outcome = await outcomeOf(() => readAll(cut));
      ok('error' in outcome, `${cut.length} bytes were enough`);
    }
  });

  it('comes to an end with any bit turned over', async () => {
    const whole = JSON.stringify(await readAll(sample));
    let unnoticed = 0;
    for (const flipped of flipBits(sample, 1000)) {
      const outcome = await outcomeOf(() => readAll(flipped));
      if ('value' in outcome && JSON.stringify(outcome.value) === whole) unnoticed++;
    }
    // Of what is in front of payloads only the part's number is looked at by nobody.
    ok(unnoticed < 150, `${unnoticed} of 1000 made no difference`);
  });

  it('does not believe lengths', async () => {
    const lengths = ['7fffffff', '80000000', 'fffffffe', '00200000'];
    for (const length of lengths) {
      const lie = Buffer.from(length, 'hex');
      const inHeader = Buffer.concat([sample.subarray(0, 8), lie, sample.subarray(12)]);
      const inParameters = Buffer.concat([sample.subarray(0, 4), lie, sample.subarray(8)]);
      const payloadAt = 8 + 4 + partHeader('bookmarks').length;
      const inPayload = Buffer.concat([sample.subarray(0, payloadAt), lie, sample.subarray(payloadAt + 4)]);
      const before = process.memoryUsage().arrayBuffers;
      for (const bytes of [inHeader, inParameters, inPayload]) {
        const outcome = await outcomeOf(() => readAll(bytes));
        ok('error' in outcome && outcome.error.kind === 'corrupt', length);
      }
      ok(process.memoryUsage().arrayBuffers - before < 10_000_000, 'memory followed a length');
    }
  });

  it('does not hold a part that is small by nature when it is not', async () => {
    const bytes = bundleOf([part(partHeader('bookmarks'), Buffer.alloc(5000))]);
    const bundle = await openBundle2(new ByteReader(inPieces(bytes, 1000), 'bundle'));
    await rejects(
      async () => {
        for await (const read of bundle.parts) await partBytes(read, 4000);
      },
      { kind: 'corrupt' },
    );
  });

  it('is told from other things', async () => {
    for (const magic of ['HG10', 'HG30', '<htm', '\0\0\0\0']) {
      const bytes = Buffer.concat([Buffer.from(magic, 'latin1'), sample.subarray(4)]);
      const outcome = await outcomeOf(() => readAll(bytes));
      equal('error' in outcome && outcome.error.kind, 'protocol');
    }
  });
});
