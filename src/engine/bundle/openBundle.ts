import * as l10n from '@vscode/l10n';
import type { CompressionName } from '../compression/codec';
import { decompressStream } from '../compression/stream';
import { ByteReader } from '../io/byteReader';
import { protocolError, unsupportedError } from '../io/errors';
import { printable } from '../io/printable';
import { openBundle2From, remaining, type Bundle2, type Bundle2Part } from './bundle2Reader';

/** A bundle of any kind, opened: its parts, a changegroup of version 01, or a stream as `stream_out` sends it. */
export type Bundle =
  | ({ kind: 'bundle2' } & Bundle2)
  | { kind: 'changegroup'; compression: CompressionName; reader: ByteReader }
  | { kind: 'stream'; requirements: string[]; reader: ByteReader };

const bundle1Engines: Record<string, CompressionName | undefined> = { UN: 'none', GZ: 'zlib', BZ: 'bzip2' };

/**
 * Opens a bundle by its first bytes: `HG20` (bundle2), `HG10` and `UN`, `GZ` or `BZ` (a changegroup of version 01, in that
 * compression; the two letters of `BZ` belong to the bzip2 stream itself), `HGS1` (a stream clone of version 1: `UN`, its
 * files and bytes, its requirements).
 *
 * @throws `protocol` when it is no bundle, `unsupported` for a kind of another age
 * @see `hg help internals.bundles`
 */
export async function openBundle(
  reader: ByteReader,
  onInterrupt?: (part: Bundle2Part) => Promise<void> | void,
): Promise<Bundle> {
  const magic = Buffer.from(await reader.read(4)).toString('latin1');
  if (magic === 'HG20') return { kind: 'bundle2', ...(await openBundle2From(reader, onInterrupt)) };
  if (magic === 'HG10') return openBundle1(reader);
  if (magic === 'HGS1') return openStreamBundle(reader);
  const what = magic.startsWith('HG') ? unsupportedError : protocolError;
  throw what(l10n.t('The {0} is no bundle that Deltascope knows: it begins with {1}.', reader.name, printable(magic)), {
    subject: magic,
    advice: l10n.t('Check that the file is what "hg bundle" or a server made.'),
  });
}

async function openBundle1(reader: ByteReader): Promise<Bundle> {
  const name = Buffer.from(await reader.read(2)).toString('latin1');
  const compression = bundle1Engines[name];
  if (compression === undefined) {
    throw unsupportedError(
      l10n.t('The {0} is compressed with {1}, which Deltascope does not know.', reader.name, printable(name)),
      {
        subject: name,
      },
    );
  }
  if (compression === 'none') return { kind: 'changegroup', compression, reader };
  const source = compression === 'bzip2' ? startingWith(Buffer.from(name), remaining(reader)) : remaining(reader);
  return {
    kind: 'changegroup',
    compression,
    reader: new ByteReader(decompressStream(compression, source), reader.name),
  };
}

async function openStreamBundle(reader: ByteReader): Promise<Bundle> {
  const compression = Buffer.from(await reader.read(2)).toString('latin1');
  if (compression !== 'UN') {
    throw unsupportedError(l10n.t('The {0} is a compressed stream, which no program makes.', reader.name), {
      subject: compression,
    });
  }
  const head = Buffer.from((await reader.read(18)).slice());
  const requirements = Buffer.from(await reader.read(head.readUInt16BE(16)))
    .toString('latin1')
    .replace(/\0$/, '')
    .split(',');
  // What follows is the stream without the line that says how much it is.
  const line = Buffer.from(`0\n${head.readBigUInt64BE(0)} ${head.readBigUInt64BE(8)}\n`);
  return {
    kind: 'stream',
    requirements,
    reader: new ByteReader(startingWith(line, remaining(reader)), reader.name),
  };
}

async function* startingWith(bytes: Uint8Array, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield bytes;
  yield* source;
}
