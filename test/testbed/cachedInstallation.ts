import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';

/** The holder of the lock marks it as alive this often. */
const heartbeat = 1_000;
/** A lock that nobody has marked for so long was left by an installation that is no more. */
const abandonedAfter = 10_000;

/**
 * The folder `path`, filled once by `fill` and found filled from then on. `fill` gets a folder beside it, which is renamed
 * in the end: what is there is whole. A second process waits for the first; after one that was killed it starts over.
 */
export async function cachedInstallation(path: string, fill: (folder: string) => Promise<void>): Promise<void> {
  if (existsSync(path)) return;
  await mkdir(dirname(path), { recursive: true });
  const release = await takeLock(`${path}.lock`);
  try {
    // Whoever held the lock before may have finished.
    if (existsSync(path)) return;
    const unfinished = `${path}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished);
    await fill(unfinished);
    await rename(unfinished, path);
  } finally {
    await release();
  }
}

/** Takes a lock file, waiting while its holder lives. Gives what releases it. */
async function takeLock(path: string): Promise<() => Promise<void>> {
  while (!(await created(path))) {
    const marked = await stat(path).catch(() => undefined);
    if (marked !== undefined && Date.now() - marked.mtimeMs > abandonedAfter) await rm(path, { force: true });
    else await after(250);
  }
  const beat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, heartbeat);
  return async () => {
    clearInterval(beat);
    await rm(path, { force: true });
  };
}

async function created(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx')).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Where the project's own installations are kept, unless the environment names another folder. */
export function cacheFolder(): string {
  return process.env.DELTASCOPE_TESTBED ?? join(projectRoot, '.testbed');
}

export const projectRoot = join(__dirname, '..', '..');
