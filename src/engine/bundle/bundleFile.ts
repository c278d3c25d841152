import * as l10n from '@vscode/l10n';
import { compressStream } from '../compression/stream';
import { unsupportedError } from '../io/errors';
import { bundle2Engines, bundle2Head } from './bundle2Writer';
import type { BundleSpec } from './bundleSpec';

/** What a stream brings beside its bytes. */
export interface StreamTotals {
  bytes: number;
  files: number;
  requirements: readonly string[];
}

const bundle1Engines = { none: 'UN', zlib: 'GZ', bzip2: 'BZ', zstd: undefined } as const;
/** Of a bundle2 stream without parameters: its magic, and their length. */
const plainHead = 8;

/**
 * The bytes of a bundle file: a head that says how the rest is compressed, and the rest.
 *
 * - `v2`: `HG20`, the length of the parameters and these, with the compression among them, then the parts;
 * - `v1`: `HG10` and `UN` or `GZ`, then a changegroup of version 01;
 * - `packed1`: `HGS1UN`, 8 bytes of files, 8 of bytes, 2 of the length of the requirements and these with a NUL at the end,
 *   then what a legacy stream has after its two lines.
 *
 * @param body what goes over the wire for it, uncompressed: bundle2 stream, changegroup, legacy stream
 * @param totals of a `packed1`
 * @throws `unsupported` for a compression that cannot be written here, or that the type does not have
 * @see `hg help internals.bundles`, `hg help bundlespec`
 */
export function bundleFile(
  { compression, version }: BundleSpec,
  body: AsyncIterable<Uint8Array>,
  totals?: StreamTotals,
): AsyncIterable<Uint8Array> {
  if (version === 'v2') {
    const head = bundle2Head(bundle2Engines[compression]);
    return following(head, compressStream(compression, without(plainHead, body)));
  }
  if (version === 'packed1') {
    if (compression !== 'none' || totals === undefined)
      throw unsupportedError(l10n.t('Streams of this type are never compressed.'));
    return following(packedHead(totals), without(`0\n${totals.files} ${totals.bytes}\n`.length, body));
  }
  const engine = bundle1Engines[compression];
  if (engine === undefined) throw unsupportedError(l10n.t('Bundles of version 1 are never compressed with zstd.'));
  return following(Buffer.from(`HG10${engine}`), compressStream(compression, body));
}

function packedHead({ bytes, files, requirements }: StreamTotals): Buffer {
  const names = Buffer.from(`${requirements.join(',')}\0`, 'latin1');
  const head = Buffer.alloc(6 + 8 + 8 + 2);
  head.write('HGS1UN', 'latin1');
  head.writeBigUInt64BE(BigInt(files), 6);
  head.writeBigUInt64BE(BigInt(bytes), 14);
  head.writeUInt16BE(names.length, 22);
  return Buffer.concat([head, names]);
}

async function* following(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  yield* rest;
}

/** All but the first bytes. */
async function* without(count: number, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = count;
  for await (const bytes of source) {
    const cut = Math.min(left, bytes.length);
    left -= cut;
    if (cut < bytes.length) yield bytes.subarray(cut);
  }
}
