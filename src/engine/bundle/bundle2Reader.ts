import * as l10n from '@vscode/l10n';
import { decompressStream } from '../compression/stream';
import type { CompressionName } from '../compression/codec';
import { ByteReader } from '../io/byteReader';
import { corruptError, protocolError, unsupportedError } from '../io/errors';
import { printable } from '../io/printable';
import { unquote } from './quoting';

/** The parameters of a stream or of a part; names are as they were sent. */
export type Parameters = ReadonlyMap<string, string>;

/** One part of a bundle2 stream. Its payload is read once, before the next part. */
export interface Bundle2Part {
  /** The type in lower case, such as `stream2`. */
  readonly type: string;
  readonly id: number;
  /** Whether the sender insists that the receiver understands the part. */
  readonly mandatory: boolean;
  readonly parameters: Parameters;
  /** Mandatory parameters: a receiver that does not know one must refuse the part. */
  readonly mandatoryParameters: ReadonlySet<string>;
  readonly payload: AsyncIterable<Uint8Array>;
}

/** The head of a bundle2 stream, and its parts in the order in which they come. */
export interface Bundle2 {
  readonly parameters: Parameters;
  readonly compression: CompressionName;
  readonly parts: AsyncIterable<Bundle2Part>;
}

const engines: Record<string, CompressionName | undefined> = { UN: 'none', GZ: 'zlib', BZ: 'bzip2', ZS: 'zstd' };
const maximumParameters = 1 << 20;
const interrupt = -1;

/**
 * Opens a bundle2 stream: `HG20`, a 4-byte length, stream parameters; then parts (a 4-byte header length, the header,
 * payload chunks each after its 4-byte length) until a header length of 0. All numbers are big-endian.
 *
 * A part's payload that the caller leaves unread is passed over when the next part is asked for. A part that
 * interrupts another's payload is given to `onInterrupt`, whose default refuses mandatory ones.
 *
 * @throws `protocol` when the magic is another one, `unsupported` for a mandatory stream parameter that is not known,
 * `corrupt` (or the reader's own kind, when it ends early) for framing that cannot be.
 * @see `hg help internals.bundle2`
 */
export async function openBundle2(
  reader: ByteReader,
  onInterrupt: (part: Bundle2Part) => Promise<void> | void = refuseMandatory,
): Promise<Bundle2> {
  const magic = Buffer.from(await reader.read(4)).toString('latin1');
  if (magic !== 'HG20') {
    throw protocolError(
      l10n.t('The {0} is not a bundle2 stream: it begins with {1}.', reader.name, JSON.stringify(magic)),
    );
  }
  return openBundle2From(reader, onInterrupt);
}

/** The same after the magic has been read. @throws as {@link openBundle2} */
export async function openBundle2From(
  reader: ByteReader,
  onInterrupt: (part: Bundle2Part) => Promise<void> | void = refuseMandatory,
): Promise<Bundle2> {
  const parameters = parseStreamParameters(await readSized(reader, l10n.t('the stream parameters')));
  const compression = bundleCompression(parameters, reader.name);
  const body =
    compression === 'none' ? reader : new ByteReader(decompressStream(compression, remaining(reader)), reader.name);
  return { parameters, compression, parts: readParts(body, onInterrupt) };
}

/** Refuses a mandatory part by its name, and lets an advisory one pass. */
export function refuseMandatory(part: Bundle2Part): void {
  if (part.mandatory) {
    throw unsupportedError(l10n.t('The server sent a part that Deltascope does not know: {0}.', printable(part.type)), {
      subject: part.type,
      advice: l10n.t('Update Deltascope, or try the other way of cloning.'),
    });
  }
}

async function* readParts(
  reader: ByteReader,
  onInterrupt: (part: Bundle2Part) => Promise<void> | void,
): AsyncGenerator<Bundle2Part> {
  try {
    for (;;) {
      const header = await readSized(reader, l10n.t('a part header'));
      if (header.length === 0) return;
      const part = openPart(header, reader, onInterrupt);
      yield part;
      await passOver(part.payload);
    }
  } finally {
    await reader.close();
  }
}

function openPart(
  header: Uint8Array,
  reader: ByteReader,
  onInterrupt: (part: Bundle2Part) => Promise<void> | void,
): Bundle2Part {
  const parsed = parsePartHeader(header, reader);
  return { ...parsed, payload: readPayload(reader, parsed.type, onInterrupt) };
}

/** The payload of one part, chunk by chunk, as views that are valid until the next one is asked for. */
function readPayload(
  reader: ByteReader,
  type: string,
  onInterrupt: (part: Bundle2Part) => Promise<void> | void,
): AsyncIterable<Uint8Array> {
  // One generator for all who iterate, so that whoever comes second continues where the first one stopped.
  const chunks = payloadChunks(reader, type, onInterrupt);
  return {
    [Symbol.asyncIterator]: () => ({ next: () => chunks.next() }),
  };
}

async function* payloadChunks(
  reader: ByteReader,
  type: string,
  onInterrupt: (part: Bundle2Part) => Promise<void> | void,
): AsyncGenerator<Uint8Array> {
  for (;;) {
    const length = readInt32(await reader.read(4));
    if (length === 0) return;
    if (length === interrupt) {
      const header = await readSized(reader, l10n.t('the header of an interrupting part'));
      if (header.length === 0) continue;
      const part = openPart(header, reader, onInterrupt);
      await onInterrupt(part);
      await passOver(part.payload);
      continue;
    }
    if (length < 0) {
      throw corruptError(
        l10n.t('Part {0} has a chunk of length {1} at offset {2}.', printable(type), length, reader.offset - 4),
        {
          subject: reader.name,
          offset: reader.offset - 4,
        },
      );
    }
    for (let left = length; left > 0;) {
      const bytes = await reader.readSome(left);
      if (bytes.length === 0) throw reader.endedEarly(left);
      left -= bytes.length;
      yield bytes;
    }
  }
}

async function passOver(payload: AsyncIterable<Uint8Array>): Promise<void> {
  const chunks = payload[Symbol.asyncIterator]();
  while ((await chunks.next()).done !== true);
}

function parsePartHeader(header: Uint8Array, reader: ByteReader): Omit<Bundle2Part, 'payload'> {
  const bytes = Buffer.from(header.buffer, header.byteOffset, header.length);
  let at = 0;
  const take = (length: number) => {
    if (at + length > bytes.length) {
      throw corruptError(l10n.t('A part header of {0} bytes is too short for what it announces.', bytes.length), {
        subject: reader.name,
        offset: reader.offset - bytes.length + at,
      });
    }
    at += length;
    return bytes.subarray(at - length, at);
  };
  const sentType = take(take(1)[0]).toString('latin1');
  const id = take(4).readUInt32BE(0);
  const [mandatoryCount, advisoryCount] = take(2);
  const sizes = take(2 * (mandatoryCount + advisoryCount));
  const parameters = new Map<string, string>();
  const mandatoryParameters = new Set<string>();
  for (let index = 0; index < sizes.length; index += 2) {
    const key = take(sizes[index]).toString('latin1');
    parameters.set(key, take(sizes[index + 1]).toString('latin1'));
    if (index < 2 * mandatoryCount) mandatoryParameters.add(key);
  }
  const type = sentType.toLowerCase();
  return { type, id, mandatory: type !== sentType, parameters, mandatoryParameters };
}

function parseStreamParameters(bytes: Uint8Array): Parameters {
  const parameters = new Map<string, string>();
  for (const item of Buffer.from(bytes).toString('latin1').split(' ')) {
    if (item === '') continue;
    const equals = item.indexOf('=');
    const name = unquote(equals < 0 ? item : item.slice(0, equals));
    parameters.set(name, equals < 0 ? '' : unquote(item.slice(equals + 1)));
    const mandatory = /^[A-Z]/.test(name);
    if (mandatory && name !== 'Compression') {
      throw unsupportedError(
        l10n.t('The bundle needs the stream parameter {0}, which Deltascope does not know.', printable(name)),
        {
          subject: name,
        },
      );
    }
  }
  return parameters;
}

function bundleCompression(parameters: Parameters, name: string): CompressionName {
  const wanted = parameters.get('Compression') ?? 'UN';
  const engine = engines[wanted];
  if (engine === undefined) {
    throw unsupportedError(
      l10n.t('The {0} is compressed with {1}, which Deltascope does not know.', name, printable(wanted)),
      {
        subject: wanted,
      },
    );
  }
  return engine;
}

async function readSized(reader: ByteReader, what: string): Promise<Uint8Array> {
  const length = readInt32(await reader.read(4));
  if (length < 0 || length > maximumParameters) {
    throw corruptError(
      l10n.t('The {0} gives {1} a length of {2} at offset {3}.', reader.name, what, length, reader.offset - 4),
      {
        subject: reader.name,
        offset: reader.offset - 4,
      },
    );
  }
  // A copy: the caller keeps it while more is read.
  return (await reader.read(length)).slice();
}

/** What a reader has not handed out yet. Whoever stops closes the reader. */
export async function* remaining(reader: ByteReader): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const bytes = await reader.readSome(1 << 20);
      if (bytes.length === 0) return;
      yield bytes;
    }
  } finally {
    await reader.close();
  }
}

function readInt32(bytes: Uint8Array): number {
  return (bytes[0] << 24) | (bytes[1] << 16) | (bytes[2] << 8) | bytes[3];
}
