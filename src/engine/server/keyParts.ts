import type { Bundle2PartToWrite } from '../bundle/bundle2Writer';
import { nullNode } from '../revlog/node';
import type { GetbundleOptions } from './getbundleOptions';
import type { ServedView } from './servedRepository';

/** What a part's parameter has room for. */
const longestNamespace = 255;

/** The parts that hold names: bookmarks in their own form, and keys of namespaces. @see `hg help internals.bundle2` */
export function* keyParts(view: ServedView, options: GetbundleOptions): Generator<Bundle2PartToWrite> {
  if (options.bookmarks && options.capabilities.has('bookmarks')) {
    const payload = bookmarksPayload(view);
    if (payload.length > 0) yield { type: 'bookmarks', isMandatory: true, payload: [payload] };
  }
  for (const namespace of options.listkeys) {
    if (namespace.length > longestNamespace) continue;
    yield {
      type: 'listkeys',
      isMandatory: true,
      mandatory: [['namespace', namespace]],
      payload: [Buffer.from(formatKeys(listKeys(view, namespace)), 'latin1')],
    };
  }
}

/** The keys of a namespace, and their values; none of one that is not known. Bytes as Latin-1. */
export function listKeys(view: ServedView, namespace: string): [string, string][] {
  switch (namespace) {
    case 'namespaces':
      return [
        ['bookmarks', ''],
        ['namespaces', ''],
        ['phases', ''],
      ];
    case 'bookmarks':
      return [...view.bookmarks];
    case 'phases':
      return [
        ...view.draftRoots.map((node): [string, string] => [node, '1']),
        ...(view.isPublishing ? [['publishing', 'True'] as [string, string]] : []),
      ];
    default:
      return [];
  }
}

/** Lines of key, tab and value. */
export function formatKeys(keys: readonly (readonly [string, string])[]): string {
  return keys.map(([key, value]) => `${key}\t${value}`).join('\n');
}

function bookmarksPayload(view: ServedView): Buffer {
  const entries = [...view.bookmarks].filter(([, node]) => node !== nullNode);
  return Buffer.concat(
    entries.sort(byName).flatMap(([name, node]) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(name.length);
      return [Buffer.from(node, 'hex'), length, Buffer.from(name, 'latin1')];
    }),
  );
}

function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1;
}
