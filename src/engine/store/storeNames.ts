import * as l10n from '@vscode/l10n';
import { protocolError } from '../io/errors';

/** What a store holds beside `data/` and `meta/` that another repository may give. */
const topLevelName = /^(?:00(?:changelog|manifest)(?:-[0-9a-f]{1,64})?\.[a-z]{1,8}|phaseroots|obsstore|bookmarks)$/;
const cacheName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$/;

/**
 * Refuses names of store files that would be written elsewhere than in a store's own places: names come from the
 * network. What passes is `data/...`, `meta/...`, or one of the known files beside them.
 *
 * @param name bytes as Latin-1, before the encoding for the disk
 * @throws `protocol` with the name as subject
 */
export function checkStoreName(name: string): void {
  const filed = name.startsWith('data/') || name.startsWith('meta/');
  if (filed ? isInside(name) : topLevelName.test(name)) return;
  throw protocolError(
    l10n.t('The other side names a store file {0}, which has no place in a store.', JSON.stringify(name.slice(0, 200))),
    {
      subject: name.slice(0, 200),
      advice: l10n.t('Nothing was written outside the new repository. Do not trust this server.'),
    },
  );
}

/**
 * Refuses names of cache files that are more than a plain name: they come from the network too.
 * @throws `protocol` with the name as subject
 */
export function checkCacheName(name: string): void {
  if (cacheName.test(name)) return;
  throw protocolError(
    l10n.t('The other side names a cache file {0}, which is no plain name.', JSON.stringify(name.slice(0, 200))),
    {
      subject: name.slice(0, 200),
      advice: l10n.t('Nothing was written outside the new repository. Do not trust this server.'),
    },
  );
}

/** No empty component (which makes a name absolute, or a folder), no `.` or `..`, nothing that ends a name early. */
function isInside(name: string): boolean {
  return !/[\0\n\r]|\/\/|\/$|\/\.{1,2}(?:\/|$)/.test(name);
}
