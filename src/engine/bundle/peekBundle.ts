import type { CompressionName } from '../compression/codec';
import { ByteReader } from '../io/byteReader';
import { refuseMandatory } from './bundle2Reader';
import { throwErrorPart } from './errorPart';
import { openBundle } from './openBundle';

/** What a bundle is good for: a stream makes a new repository, a changegroup is added to one. */
export type BundleContent = 'stream' | 'changegroup';

/** A bundle that was looked at. */
export interface PeekedBundle {
  content: BundleContent;
  /** What all of it is compressed in. */
  compression: CompressionName;
  /** All of it. */
  bundle: AsyncIterable<Uint8Array>;
}

/**
 * Looks what a bundle holds, up to its first stream or changegroup: little, since there is one or the other first in all
 * that programs make. Gives the bundle whole, to be read once.
 *
 * @throws as `openBundle`, and what the bundle throws, which is let go then
 */
export async function peekBundle(
  bundle: AsyncIterable<Uint8Array>,
  name: string,
  origin: 'network' | 'corrupt',
): Promise<PeekedBundle> {
  const source = bundle[Symbol.asyncIterator]();
  const taken: Uint8Array[] = [];
  // Without a way to close it: whoever looks does not end what others read.
  const looked: AsyncIterator<Uint8Array> = {
    next: async () => {
      const result = await source.next();
      if (result.done !== true) taken.push(result.value.slice());
      return result;
    },
  };
  try {
    const reader = new ByteReader({ [Symbol.asyncIterator]: () => looked }, name, origin);
    const found = await contentOf(reader);
    return { ...found, bundle: replay(taken, source) };
  } catch (error) {
    await source.return?.();
    throw error;
  }
}

async function contentOf(reader: ByteReader): Promise<Omit<PeekedBundle, 'bundle'>> {
  try {
    const bundle = await openBundle(reader, refuseMandatory);
    if (bundle.kind === 'stream') return { content: 'stream', compression: 'none' };
    const { compression } = bundle;
    if (bundle.kind === 'changegroup') return { content: 'changegroup', compression };
    for await (const part of bundle.parts) {
      throwErrorPart(part);
      if (part.type === 'stream2') return { content: 'stream', compression };
      if (part.type === 'changegroup') return { content: 'changegroup', compression };
    }
    return { content: 'changegroup', compression };
  } finally {
    await reader.close();
  }
}

async function* replay(taken: Uint8Array[], source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for (let first = taken.shift(); first !== undefined; first = taken.shift()) yield first;
    for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
  } finally {
    await source.return?.();
  }
}
