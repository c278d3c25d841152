import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeRequirements, type Requirements } from './requirements';

/** What a new repository is to be. */
export interface NewRepository {
  requirements: Requirements;
  /** Where it comes from, without a password: becomes `default` in `[paths]` of `hgrc`. */
  defaultPath?: string;
}

/** Working copy of nothing: two parents of 20 zero bytes, no files. */
const emptyDirstate = new Uint8Array(40);

/**
 * Makes the repository `root/.hg` without any history: what `hg clone --stream -U` leaves before the store's files come.
 * `root` must not exist, or be an empty folder.
 *
 * @throws the file system's own error, `EEXIST` among them when there is a repository already
 */
export function createRepository(root: string, { requirements, defaultPath }: NewRepository): void {
  const hg = join(root, '.hg');
  mkdirSync(root, { recursive: true });
  mkdirSync(hg);
  for (const folder of ['store', 'cache', 'wcache']) mkdirSync(join(hg, folder));
  writeRequirements(hg, requirements);
  writeFileSync(join(hg, '00changelog.i'), placeholderChangelog());
  writeFileSync(join(hg, 'dirstate'), emptyDirstate);
  if (defaultPath !== undefined) writeFileSync(join(hg, 'hgrc'), formatHgrc(defaultPath));
}

/**
 * What programs from before stores find where they look for a changelog: a revlog header with the version 65535, which
 * they refuse, and words for people.
 */
function placeholderChangelog(): Uint8Array {
  return Buffer.concat([Buffer.of(0, 0, 0xff, 0xff), Buffer.from(' the history is in the store folder')]);
}

function formatHgrc(defaultPath: string): string {
  // A line end would start another setting, and the address comes from outside.
  const path = defaultPath.replace(/[\r\n]/g, '');
  return `# Settings of this repository. "hg help config" describes them all.\n[paths]\ndefault = ${path}\n`;
}
