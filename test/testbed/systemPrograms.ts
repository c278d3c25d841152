import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { run } from './run';

/** A program of the system that tests and the demo run. */
export interface SystemProgram {
  /** What it is needed for, in words. */
  purpose: string;
  /** The names under which systems know it, the first that answers is taken. */
  names: readonly string[];
  /** The Debian packages that bring it. */
  packages: readonly string[];
}

export const mercurial: SystemProgram = { purpose: 'Mercurial', names: ['hg'], packages: ['mercurial'] };
export const git: SystemProgram = { purpose: 'Git', names: ['git'], packages: ['git'] };
export const browser: SystemProgram = {
  purpose: 'a browser that tests can drive',
  names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  // Without any font a page is empty rectangles.
  packages: ['chromium', 'fonts-dejavu-core'],
};
/** What the editor's native modules are compiled with. */
export const compilers: readonly SystemProgram[] = [
  { purpose: 'a C++ compiler', names: ['g++', 'c++'], packages: ['g++'] },
  { purpose: 'make', names: ['make'], packages: ['make'] },
  { purpose: 'Python, for node-gyp', names: ['python3', 'python'], packages: ['python3'] },
];

const aptGet: SystemProgram = { purpose: 'apt-get', names: ['apt-get'], packages: ['apt'] };

/** The path of a program here, or nothing. */
export async function findProgram(program: SystemProgram): Promise<string | undefined> {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const name of program.names) {
    for (const folder of folders) {
      for (const ending of endings) {
        const path = join(folder, name + ending);
        if (await isExecutable(path)) return path;
      }
    }
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Sees to it that these programs are there: installs what is missing with apt-get where this process may, and otherwise
 * throws with the commands that a person has to run.
 */
export async function ensurePrograms(programs: readonly SystemProgram[], say: (line: string) => void): Promise<void> {
  const missing = await missingOf(programs);
  if (missing.length === 0) return;
  const packages = missing.flatMap((program) => program.packages);
  const install = `apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  const mayInstall = process.getuid?.() === 0 && (await findProgram(aptGet)) !== undefined;
  if (!mayInstall)
    throw new Error(
      `Missing: ${missing.map((program) => program.purpose).join(', ')}. On Debian or Ubuntu, run as root:\n` +
        `  ${install}\nElsewhere install the same programs so that these answer on the PATH: ` +
        `${missing.map((program) => program.names[0]).join(', ')}.`,
    );
  say(`Installing ${packages.join(', ')} ...`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const waitForOthers = ['-o', 'DPkg::Lock::Timeout=600'];
  await run('apt-get', [...waitForOthers, 'update', '-q'], { env });
  await run('apt-get', [...waitForOthers, 'install', '-y', '-q', '--no-install-recommends', ...packages], { env });
  const stillMissing = await missingOf(missing);
  if (stillMissing.length > 0)
    throw new Error(`Installed, but not on the PATH: ${stillMissing.map((program) => program.names[0]).join(', ')}`);
}

async function missingOf(programs: readonly SystemProgram[]): Promise<SystemProgram[]> {
  const found = await Promise.all(programs.map(findProgram));
  return programs.filter((_, index) => found[index] === undefined);
}
