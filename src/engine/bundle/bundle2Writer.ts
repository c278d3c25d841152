import type { BundlePiece } from './bundlePieces';
import { quote } from './quoting';

/** A part to be written. */
export interface Bundle2PartToWrite {
  type: string;
  /** Whether the receiver has to understand it: its type is written in upper case then. */
  isMandatory: boolean;
  /** Those that the receiver has to understand, then the others; in the order in which they are written. */
  mandatory?: readonly (readonly [string, string])[];
  advisory?: readonly (readonly [string, string])[];
  payload: Iterable<BundlePiece>;
}

/** The two letters that the head of a bundle2 file has for an engine. */
export const bundle2Engines = { none: undefined, zlib: 'GZ', bzip2: 'BZ', zstd: 'ZS' } as const;

const frame = 4;
/** What an interrupting part has for a number in what Mercurial writes. */
const interruptingId = 0xffff_ffff;
/** A parameter's value is no longer than this: its length is one byte. */
const longestParameter = 255;

/** The magic and the parameters of the stream: what stands before the first part. */
export function bundle2Head(compression?: string): Buffer {
  const parameters = Buffer.from(compression === undefined ? '' : `Compression=${quote(compression)}`, 'latin1');
  return Buffer.concat([Buffer.from('HG20', 'latin1'), uint32(parameters.length), parameters]);
}

/**
 * The pieces of a bundle2 stream: its head, parts numbered in order, and the end. What a part's payload throws is told to
 * the receiver with a part that interrupts it, and thrown on.
 *
 * @see `hg help internals.bundle2`
 */
export function* bundle2Pieces(parts: Iterable<Bundle2PartToWrite>): Generator<BundlePiece> {
  yield bundle2Head();
  yield* bundle2Parts(parts);
}

/** The same without its head: what the compression of a bundle file begins with. */
export function* bundle2Parts(parts: Iterable<Bundle2PartToWrite>): Generator<BundlePiece> {
  let id = 0;
  for (const part of parts) {
    yield partHead(part, id++);
    yield 'payload';
    try {
      yield* part.payload;
    } catch (error) {
      yield 'interrupt';
      const message = error instanceof Error ? error.message : String(error);
      yield Buffer.concat([partHead(abortPart(message), interruptingId), uint32(0), uint32(0), uint32(0)]);
      throw error;
    }
    yield 'end';
  }
  yield uint32(0);
}

/** The part that tells a client that it gets nothing, and why. */
export function abortPart(message: string, hint?: string): Bundle2PartToWrite {
  return {
    type: 'error:abort',
    isMandatory: true,
    mandatory: [['message', cut(message)]],
    advisory: hint === undefined ? [] : [['hint', cut(hint)]],
    payload: [],
  };
}

function cut(text: string): string {
  return Buffer.from(text).subarray(0, longestParameter).toString('latin1');
}

/** Length and header of a part; bytes of the strings are Latin-1. */
function partHead({ type, isMandatory, mandatory = [], advisory = [] }: Bundle2PartToWrite, id: number): Buffer {
  const name = isMandatory ? type.toUpperCase() : type;
  const parameters = [...mandatory, ...advisory];
  const header = Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name, 'latin1'),
    uint32(id),
    Buffer.from([mandatory.length, advisory.length]),
    Buffer.from(parameters.flatMap(([key, value]) => [key.length, value.length])),
    Buffer.from(parameters.flat().join(''), 'latin1'),
  ]);
  return Buffer.concat([uint32(header.length), header]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(frame);
  bytes.writeUInt32BE(value);
  return bytes;
}
