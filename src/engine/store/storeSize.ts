import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Files of a store and their bytes, without what is no part of the history: locks and what a transaction leaves. */
export function storeSize(store: string): { files: number; bytes: number } {
  let files = 0;
  let bytes = 0;
  for (const entry of readdirSync(store, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || /^(?:undo|journal)\b/.test(entry.name)) continue;
    files++;
    bytes += statSync(join(entry.parentPath, entry.name)).size;
  }
  return { files, bytes };
}
