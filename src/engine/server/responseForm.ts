import * as l10n from '@vscode/l10n';
import type { CompressionName } from '../compression/codec';
import { readableEngines } from '../compression/stream';

/** What a client says that it takes. */
export interface ClientMedia {
  /** Whether it takes bodies of the 0.2 media type, which name the engine that they travel in. */
  takes02: boolean;
  /** The engines that it takes there, best first. */
  engines: readonly CompressionName[];
}

/** What whoever made a response says about it, beside its bytes. */
export interface ResponseWish {
  /** False for what is best left as it is: it is compressed already, or not worth the time. */
  preferCompressed: boolean;
}

/** The form that a response travels in. */
export interface ResponseForm {
  mediaType: 'application/mercurial-0.1' | 'application/mercurial-0.2';
  engine: CompressionName;
  /** Why, as a sentence for people. */
  reason: string;
}

/** What a client takes that takes 0.2 and names no engines. @see `hg help internals.wireprotocol` */
const withoutList: readonly CompressionName[] = ['zlib', 'none'];

/** Parses `X-HgProto-N` headers, joined in order: words such as `0.1 0.2 comp=zstd,zlib`. What is not known is passed over. */
export function parseClientMedia(words: string): ClientMedia {
  const all = words.split(/\s+/);
  const named = all.find((word) => word.startsWith('comp='))?.slice('comp='.length);
  const engines = named?.split(',').flatMap((name) => readableEngines.filter((engine) => engine === name));
  return { takes02: all.includes('0.2'), engines: engines ?? withoutList };
}

/**
 * Turns the wish of whoever made a bundle into a form, together with what the client takes and what this server has. The
 * only place where that is decided:
 *
 * - a client without 0.2 gets zlib, whatever the wish: it knows nothing else;
 * - what is best left as it is goes as it is, when the client takes that;
 * - the rest goes in the first engine of the server's that the client takes; where there is none, as to a client without 0.2.
 *
 * @param server engines, best first
 */
export function chooseForm(
  { preferCompressed }: ResponseWish,
  client: ClientMedia,
  server: readonly CompressionName[],
): ResponseForm {
  if (!client.takes02) return legacy(l10n.t('the client takes no other media type'));
  if (!preferCompressed && client.engines.includes('none')) {
    return named('none', l10n.t('the bundle is best left as it is'));
  }
  const engine = server.find((name) => name !== 'none' && client.engines.includes(name));
  if (engine === undefined) {
    return client.engines.includes('none') && !client.engines.includes('zlib')
      ? named('none', l10n.t('the client takes no engine of ours'))
      : legacy(l10n.t('client and server have no engine in common'));
  }
  return named(
    engine,
    preferCompressed ? l10n.t('the first of ours that the client takes') : l10n.t('the client takes nothing as it is'),
  );
}

/** What stands before the body: in 0.2 a byte for the length of the engine's name, and the name. */
export function formHead({ mediaType, engine }: ResponseForm): Uint8Array {
  if (mediaType === 'application/mercurial-0.1') return new Uint8Array(0);
  return Buffer.concat([Buffer.from([engine.length]), Buffer.from(engine, 'latin1')]);
}

function legacy(reason: string): ResponseForm {
  return { mediaType: 'application/mercurial-0.1', engine: 'zlib', reason };
}

function named(engine: CompressionName, reason: string): ResponseForm {
  return { mediaType: 'application/mercurial-0.2', engine, reason };
}
