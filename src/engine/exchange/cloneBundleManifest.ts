import * as l10n from '@vscode/l10n';
import { parseBundleSpec, type BundleSpec } from '../bundle/bundleSpec';
import { unquote } from '../bundle/quoting';
import { EngineError } from '../io/errors';
import type { Log } from '../io/operation';
import { checkRequirements } from '../store/requirements';

/** A bundle that a server names for those who clone from it. */
export interface CloneBundle {
  /** As the server wrote it. */
  url: string;
  /** By their names there; with `COMPRESSION` and `VERSION` where the specification says them. */
  attributes: ReadonlyMap<string, string>;
  /** Absent when the server does not say, or says what cannot be read. */
  spec?: BundleSpec;
}

/** What a client can do with bundles. */
export interface CloneBundleNeeds {
  way: 'stream' | 'pull';
  /** The repository's own: what it is reached by safely, is not fetched unsafely from elsewhere. */
  isSecure: boolean;
  /** Bytes of this machine. */
  memory: number;
}

/** Of the machine's memory, so much may be asked for. */
const memoryShare = 0.66;
const scale: Record<string, number> = { '': 1, b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

/**
 * Parses the answer to `clonebundles`: a line for each bundle, its address, then `KEY=VALUE` in URL quoting.
 * @see `hg help -e clonebundles`
 */
export function parseCloneBundles(manifest: string): CloneBundle[] {
  return manifest
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([url]) => url !== '')
    .map(([url, ...items]) => parseCloneBundle(url, items));
}

/** The bundles that can be read here, as the server ordered them. Why others are left out is logged. */
export function usableCloneBundles(bundles: readonly CloneBundle[], needs: CloneBundleNeeds, log: Log): CloneBundle[] {
  return bundles.filter((bundle) => {
    const obstacle = obstacleOf(bundle, needs);
    if (obstacle !== undefined) log('info', `Clone bundle ${withoutPassword(bundle.url)} is not used: ${obstacle}.`);
    return obstacle === undefined;
  });
}

/**
 * Bundles in the order of preference: by the first of the preferences `KEY=VALUE` that one has and another has not, and
 * then as they were.
 */
export function orderCloneBundles(bundles: readonly CloneBundle[], preferences: readonly string[]): CloneBundle[] {
  const wishes = preferences.map((preference) => {
    const equals = preference.indexOf('=');
    return { key: preference.slice(0, equals), value: preference.slice(equals + 1) };
  });
  const ranks = new Map(
    bundles.map((bundle) => [bundle, wishes.map(({ key, value }) => (bundle.attributes.get(key) === value ? 0 : 1))]),
  );
  return [...bundles].sort((one, other) => {
    const [ours, theirs] = [ranks.get(one) ?? [], ranks.get(other) ?? []];
    const decisive = ours.findIndex((rank, index) => rank !== theirs[index]);
    return decisive < 0 ? 0 : ours[decisive] - theirs[decisive];
  });
}

/** An address without what stands before its host. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z+]+:\/\/)[^/@]*@/i, '$1');
}

function parseCloneBundle(url: string, items: readonly string[]): CloneBundle {
  const attributes = new Map<string, string>();
  for (const item of items) {
    const equals = item.indexOf('=');
    if (equals > 0) attributes.set(unquote(item.slice(0, equals)), unquote(item.slice(equals + 1)));
  }
  const text = attributes.get('BUNDLESPEC');
  if (text === undefined) return { url, attributes };
  try {
    const spec = parseBundleSpec(text);
    attributes.set('COMPRESSION', spec.compressionName);
    attributes.set('VERSION', spec.version);
    return { url, attributes, spec };
  } catch (error) {
    if (error instanceof EngineError) return { url, attributes };
    throw error;
  }
}

function obstacleOf({ url, attributes, spec }: CloneBundle, needs: CloneBundleNeeds): string | undefined {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return l10n.t('its address is not one of the web');
  if (needs.isSecure && !/^https:/i.test(url))
    return l10n.t('it is at an insecure address, and the repository at a secure one');
  if (spec === undefined && attributes.has('BUNDLESPEC')) return l10n.t('it is of an unknown kind');
  if (needs.way === 'stream' && spec === undefined) return l10n.t('its kind is not said, and a stream is wanted');
  if (spec !== undefined && spec.isStream !== (needs.way === 'stream')) {
    return spec.isStream
      ? l10n.t('it is a stream, and changesets are wanted')
      : l10n.t('it holds changesets, and a stream is wanted');
  }
  if (spec?.isStream === true) {
    try {
      checkRequirements(spec.requirements, 'store', 'it');
    } catch (error) {
      return error instanceof EngineError ? error.message.replace(/\.$/, '') : String(error);
    }
  }
  const wanted = attributes.get('REQUIREDRAM');
  if (wanted === undefined) return undefined;
  const bytes = parseSize(wanted);
  if (bytes === undefined) return l10n.t('it does not say in numbers how much memory it takes');
  return bytes > needs.memory * memoryShare ? l10n.t('it takes {0} of memory', wanted) : undefined;
}

function parseSize(text: string): number | undefined {
  const found = /^(\d+(?:\.\d+)?)\s*([kmg]?)b?$/i.exec(text.trim());
  return found === null ? undefined : Number(found[1]) * scale[found[2].toLowerCase()];
}
