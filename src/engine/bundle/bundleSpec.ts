import * as l10n from '@vscode/l10n';
import type { CompressionName } from '../compression/codec';
import { protocolError, unsupportedError } from '../io/errors';
import { printable } from '../io/printable';
import { unquote } from './quoting';

/** What a bundle is, as a word such as `zstd-v2` or `none-packed1;requirements=revlogv1` says it. */
export interface BundleSpec {
  compression: CompressionName;
  /** The name of the compression as it is written there: `gzip`. */
  compressionName: string;
  version: 'v1' | 'v2' | 'packed1';
  /** Whether it is a store as it is, which makes a new repository. */
  isStream: boolean;
  /** What the revlogs of a stream demand; none where it is not said. */
  requirements: string[];
}

const compressions: Record<string, CompressionName | undefined> = {
  none: 'none',
  gzip: 'zlib',
  bzip2: 'bzip2',
  zstd: 'zstd',
};
const changegroups = new Set(['01', '02', '03']);

/** What is meant by a type that leaves something out: `gzip` by itself, or `v2`. */
const shortTypes: Record<string, string | undefined> = {
  none: 'none-v2',
  gzip: 'gzip-v2',
  bzip2: 'bzip2-v2',
  zstd: 'zstd-v2',
  v1: 'gzip-v1',
  v2: 'gzip-v2',
  packed1: 'none-packed1',
};

/** The whole specification of a bundle to be written, where a person wrote a part of it. */
export function wholeBundleSpec(text: string): string {
  const [kind, ...items] = text.split(';');
  const whole = Object.hasOwn(shortTypes, kind) ? shortTypes[kind] : undefined;
  return [whole ?? kind, ...items].join(';');
}

/**
 * Parses a bundle specification: `COMPRESSION-TYPE`, then `;KEY=VALUE` in URL quoting for each parameter.
 *
 * @throws `protocol` when it is none, `unsupported` for a compression, a type, or a parameter's value that is not known
 * @see `hg help bundlespec`
 */
export function parseBundleSpec(text: string): BundleSpec {
  const [kind, ...items] = text.split(';');
  const found = /^([a-z0-9]+)-([a-z0-9-]+)$/i.exec(kind);
  if (found === null) {
    throw protocolError(l10n.t('{0} does not say what kind of bundle there is.', printable(text.slice(0, 100))), {
      advice: l10n.t('A kind is a compression and a version, such as gzip-v2, none-v1 or none-packed1.'),
    });
  }
  const [, compressionName, version] = found;
  const compression = Object.hasOwn(compressions, compressionName) ? compressions[compressionName] : undefined;
  if (compression === undefined) throw notKnown(compressionName);
  if (version !== 'v1' && version !== 'v2' && version !== 'packed1') throw notKnown(version);
  const parameters = new Map(items.map(parseParameter));
  const stream = parameters.get('stream');
  const changegroup = parameters.get('cg.version');
  if (stream !== undefined && stream !== 'v2' && stream !== '0') throw notKnown(`stream=${stream}`);
  if (changegroup !== undefined && !changegroups.has(changegroup)) throw notKnown(`cg.version=${changegroup}`);
  if (version === 'v1' && compression === 'zstd') throw notKnown(kind);
  return {
    compression,
    compressionName,
    version,
    isStream: version === 'packed1' || stream === 'v2',
    requirements: (parameters.get('requirements') ?? '').split(',').filter(Boolean),
  };
}

function parseParameter(item: string): [string, string] {
  const equals = item.indexOf('=');
  if (equals < 0) throw protocolError(l10n.t('{0} is no parameter of a bundle.', printable(item.slice(0, 100))));
  return [unquote(item.slice(0, equals)), unquote(item.slice(equals + 1))];
}

function notKnown(what: string): Error {
  return unsupportedError(l10n.t('Bundles of the kind {0} are not known.', printable(what.slice(0, 100))), {
    subject: what,
  });
}
