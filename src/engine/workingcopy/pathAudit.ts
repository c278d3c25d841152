import * as l10n from '@vscode/l10n';
import { corruptError } from '../io/errors';
import type { Manifest } from './manifest';

/** Code points that HFS+ takes no notice of in names: with one of them inside, `.hg` is still `.hg` there. */
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Cheap to look for: a name without any of these needs no further look. */
const suspicious = /^$|(?:^|\/)(?:\.|\/|$|[hH][gG]~)|[\\:\x80-\xff]/;

/**
 * Refuses a manifest that would have a checkout write where it must not: outside the working copy, into `.hg` by any of
 * its names on any system, or through a symbolic link of the same checkout.
 *
 * @throws `corrupt` with the path as subject
 */
export function auditManifest(manifest: Manifest): void {
  const links = linksOf(manifest);
  let auditedFolder = '';
  for (let index = 0; index < manifest.length; index++) {
    const path = manifest.path(index);
    checkPath(path);
    if (links.size === 0) continue;
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (folder === auditedFolder) continue;
    for (let end = folder.length; end > 0; end = folder.lastIndexOf('/', end - 1)) {
      if (links.has(folder.slice(0, end)))
        throw refusedPath(path, l10n.t('leads through a symbolic link of the same changeset'));
    }
    auditedFolder = folder;
  }
}

/** Refuses one path (bytes as Latin-1) that no working copy may have. @throws `corrupt` with the path as subject */
export function checkPath(path: string): void {
  if (!suspicious.test(path)) return;
  if (path === '' || path.startsWith('/')) throw refusedPath(path, l10n.t('is not inside the working copy'));
  for (const component of path.split('/')) {
    if (component === '' || component === '.' || component === '..') {
      throw refusedPath(path, l10n.t('is not inside the working copy'));
    }
    if (isRepositoryFolder(component)) throw refusedPath(path, l10n.t("leads into a repository's own folder"));
  }
}

/**
 * Whether a name means `.hg` on some system: in another case, with dots or spaces at its end, with a stream after a colon,
 * by its short name (Windows), or with code points that are not looked at (macOS). A backslash ends a name on Windows.
 */
function isRepositoryFolder(component: string): boolean {
  const text = /[\x80-\xff]/.test(component) ? Buffer.from(component, 'latin1').toString('utf8') : component;
  return text
    .replace(ignoredByHfs, '')
    .toLowerCase()
    .split('\\')
    .some((name) => /^(?:\.hg|hg~\d+)[. ]*(?::.*)?$/s.test(name));
}

function linksOf(manifest: Manifest): Set<string> {
  const links = new Set<string>();
  for (let index = 0; index < manifest.length; index++) {
    if (manifest.kind(index) === 'symlink') links.add(manifest.path(index));
  }
  return links;
}

function refusedPath(path: string, why: string): Error {
  const shown = JSON.stringify(Buffer.from(path, 'latin1').toString('utf8').slice(0, 200));
  return corruptError(l10n.t('The changeset has a file {0}, which {1}.', shown, why), {
    subject: path,
    advice: l10n.t('Nothing was written there. Do not trust this repository.'),
  });
}
