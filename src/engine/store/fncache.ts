import * as l10n from '@vscode/l10n';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { corruptError } from '../io/errors';
import { decodeFolders, encodeFolders } from './pathEncoding';

const flushAt = 64 * 1024;

/** Whether a store file is listed in fncache: those of file histories and tree manifests are, the few others are not. */
export function belongsInFncache(name: string): boolean {
  return name.startsWith('data/') || name.startsWith('meta/');
}

/**
 * Writes `fncache`, which lists the files of a store so that hashed names can be found again: a line for each, in the
 * form of {@link encodeFolders}. The order means nothing. A store without files has no fncache.
 *
 * Lines are gathered up to 64 kB, so half a million names take no memory.
 */
export class FncacheWriter implements Disposable {
  private readonly path: string;
  private file: number | undefined;
  private pending = '';

  constructor(storeFolder: string) {
    this.path = join(storeFolder, 'fncache');
  }

  /** @param name bytes as Latin-1, before the encoding for the disk */
  add(name: string): void {
    if (!belongsInFncache(name)) return;
    this.pending += `${encodeFolders(name)}\n`;
    if (this.pending.length >= flushAt) this.flush();
  }

  /** Writes what is left and closes the file. */
  close(): void {
    try {
      if (this.pending !== '') this.flush();
    } finally {
      this[Symbol.dispose]();
    }
  }

  /** Closes the file without what is left. */
  [Symbol.dispose](): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
    this.pending = '';
  }

  private flush(): void {
    this.file ??= openSync(this.path, 'w');
    const bytes = Buffer.from(this.pending, 'latin1');
    for (let at = 0; at < bytes.length;) at += writeSync(this.file, bytes, at);
    this.pending = '';
  }
}

/**
 * The store files that `fncache` lists, as names before the encoding for the disk (bytes as Latin-1); none when there is
 * no fncache.
 * @throws `corrupt` when it does not end with a line end, or has an empty line
 */
export function readFncache(storeFolder: string): string[] {
  const path = join(storeFolder, 'fncache');
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  if (text === '') return [];
  const names = text.split('\n');
  if (names.pop() !== '' || names.includes('')) {
    throw corruptError(l10n.t('{0} is cut short or has an empty line.', path), {
      subject: path,
      advice: l10n.t('Run "hg debugrebuildfncache".'),
    });
  }
  return names.map(decodeFolders);
}

/** The content of `fncache` for these names, in the order in which they come. */
export function formatFncache(names: Iterable<string>): string {
  const lines: string[] = [];
  for (const name of names) lines.push(`${encodeFolders(name)}\n`);
  return lines.join('');
}
