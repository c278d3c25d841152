import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TagsFile } from '../bundle/tagsFiles';
import { nullRev } from '../revlog/node';
import type { RevlogIndex } from '../revlog/revlogIndex';

const recordLength = 24;
const prefixLength = 4;

/**
 * Notes in Mercurial's cache which revision of `.hgtags` changesets have, so that it need not read their manifests to find
 * the tags. `cache/hgtagsfnodes1` has a record of 24 bytes for each changeset: four bytes of its node, and the node of the
 * file; 0xff where nothing is known. A cache: what cannot be written is left out.
 */
export function noteTagsFiles(hgFolder: string, changelog: RevlogIndex, files: readonly TagsFile[]): void {
  if (files.length === 0) return;
  const folder = join(hgFolder, 'cache');
  const path = join(folder, 'hgtagsfnodes1');
  try {
    const records = Buffer.alloc(changelog.length * recordLength, 0xff);
    records.set(readKnown(path).subarray(0, records.length));
    for (const { changeset, file } of files) {
      const rev = changelog.find(changeset);
      if (rev === undefined || rev === nullRev) continue;
      records.write(changeset.slice(0, 2 * prefixLength), rev * recordLength, 'hex');
      records.write(file, rev * recordLength + prefixLength, 'hex');
    }
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, records);
  } catch {
    // Mercurial finds it out by itself.
  }
}

function readKnown(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Uint8Array(0);
    throw error;
  }
}
