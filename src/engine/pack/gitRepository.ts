import * as l10n from '@vscode/l10n';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { asDestinationError, destinationError, unsupportedError } from '../io/errors';
import { isTrue, parseGitConfig, parseSize } from './gitConfig';
import { objectFormat, type ObjectFormat } from './objectFormat';

/** Permission bits that are given beyond what the process gives, or instead of it. */
export interface SharedMode {
  bits: number;
  isExact: boolean;
}

/** How a repository wants its object files kept; `git help config` describes the settings behind it. */
export interface GitRepository {
  /** The folder of the objects: `.git/objects`. */
  objects: string;
  format: ObjectFormat;
  /** `core.bigFileThreshold` in bytes, where it is set. */
  bigFileThreshold?: number;
  /** `core.looseCompression`, else `core.compression`, else 1: zlib's level. */
  compression: number;
  /** Whether `core.fsync` asks for loose objects to reach the disk before they count. */
  fsync: boolean;
  /** What `core.sharedRepository` asks for, where it does. */
  shared?: SharedMode;
}

/**
 * Opens the repository at `path`: a working tree, a `.git` folder, a bare repository, or a linked working tree whose
 * `.git` is a file.
 * @throws `destination` when there is none, `unsupported` for a format or extension that is not known.
 */
export function openGitRepository(path: string): GitRepository {
  const folder = findGitFolder(resolve(path));
  if (folder === undefined) {
    throw destinationError(l10n.t('{0} is not a Git repository.', path), {
      subject: path,
      advice: l10n.t('Choose a folder that holds a .git folder, or make one with "git init".'),
    });
  }
  const common = commonFolder(folder);
  const config = existsSync(join(common, 'config')) ? readFileSync(join(common, 'config'), 'utf8') : '';
  const settings = parseGitConfig(config);
  checkExtensions(settings, path);
  const compression = Number(settings.get('core.loosecompression') ?? settings.get('core.compression') ?? 1);
  const threshold = settings.get('core.bigfilethreshold');
  return {
    objects: join(common, 'objects'),
    format: objectFormat(settings.get('extensions.objectformat')?.toLowerCase() ?? 'sha1', path),
    bigFileThreshold: threshold === undefined ? undefined : parseSize(threshold),
    compression: Number.isInteger(compression) && compression >= -1 && compression <= 9 ? compression : 1,
    fsync: wantsFsync(settings),
    shared: sharedMode(settings.get('core.sharedrepository')),
  };
}

/** Whether {@link openGitRepository} would find a repository there. */
export function isGitRepository(path: string): boolean {
  return findGitFolder(resolve(path)) !== undefined;
}

/**
 * Makes an empty repository with a working tree in `folder`, as `git init` does, but without hooks and templates.
 * @throws `destination` when there is something called `.git` already, or the folder cannot be written to
 * @see `git help gitrepository-layout`
 */
export function createGitRepository(folder: string): void {
  const git = join(folder, '.git');
  try {
    mkdirSync(git);
    for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags']) {
      mkdirSync(join(git, name), { recursive: true });
    }
    writeFileSync(join(git, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = false\n');
    writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw asDestinationError(error, git);
    throw destinationError(l10n.t('{0} is there already, and is no repository.', git), { subject: git });
  }
}

function findGitFolder(path: string): string | undefined {
  const inside = join(path, '.git');
  const kind = statSync(inside, { throwIfNoEntry: false });
  if (kind?.isFile() === true) {
    const target = /^gitdir: (.+?)\s*$/.exec(readFileSync(inside, 'utf8'))?.[1];
    return target === undefined ? undefined : resolve(path, target);
  }
  for (const candidate of [inside, path]) {
    if (
      existsSync(join(candidate, 'HEAD')) &&
      (existsSync(join(candidate, 'objects')) || existsSync(join(candidate, 'commondir')))
    ) {
      return candidate;
    }
  }
  return undefined;
}

/** A linked working tree keeps its objects with the main one; `commondir` says where. */
function commonFolder(folder: string): string {
  const pointer = join(folder, 'commondir');
  return existsSync(pointer) ? resolve(folder, readFileSync(pointer, 'utf8').trim()) : folder;
}

/** Extensions that change how refs or the working tree are kept do not touch objects. */
const harmless = [
  'objectformat',
  'worktreeconfig',
  'partialclone',
  'preciousobjects',
  'refstorage',
  'noop',
  'relativeworktrees',
];

function checkExtensions(settings: Map<string, string>, path: string): void {
  const version = settings.get('core.repositoryformatversion') ?? '0';
  if (version !== '0' && version !== '1') {
    throw unsupportedError(l10n.t('{0} has the repository format {1}; 0 and 1 are known.', path, version), {
      subject: `repositoryformatversion ${version}`,
    });
  }
  if (version === '0') return;
  for (const key of settings.keys()) {
    const extension = /^extensions\.(.+)$/.exec(key)?.[1];
    if (extension !== undefined && !harmless.includes(extension)) {
      throw unsupportedError(l10n.t('{0} needs the extension {1}, which is not known.', path, extension), {
        subject: extension,
      });
    }
  }
}

function wantsFsync(settings: Map<string, string>): boolean {
  if (isTrue(settings.get('core.fsyncobjectfiles'))) return true;
  const parts = (settings.get('core.fsync') ?? '').split(',').map((part) => part.trim());
  const covers = ['loose-object', 'objects', 'added', 'committed', 'all'];
  return parts.some((part) => covers.includes(part)) && !parts.includes('-loose-object') && !parts.includes('none');
}

function sharedMode(value: string | undefined): SharedMode | undefined {
  const word = value?.toLowerCase() ?? 'umask';
  if (['group', 'true', 'yes', 'on', '1'].includes(word)) return { bits: 0o660, isExact: false };
  if (['all', 'world', 'everybody', '2'].includes(word)) return { bits: 0o664, isExact: false };
  return /^0[0-7]{3}$/.test(word) ? { bits: parseInt(word, 8), isExact: true } : undefined;
}
