import { join } from 'node:path';

/**
 * The path of a tracked file in a working copy, for the file system's calls. Tracked names are bytes. Linux takes them as
 * they are; macOS and Windows have names of characters, so there bytes that are UTF-8 are taken as that, and others, as
 * Mercurial on Windows writes them, as Latin-1.
 *
 * @param root the working copy
 * @param path bytes as Latin-1, audited before
 */
export function diskPath(root: string, path: string): string | Buffer {
  if (!/[\x80-\xff]/.test(path)) return join(root, path);
  const bytes = Buffer.from(path, 'latin1');
  if (process.platform === 'linux') return Buffer.concat([Buffer.from(`${root}/`), bytes]);
  const text = bytes.toString('utf8');
  return join(root, text.includes('\ufffd') ? path : text);
}
