import * as l10n from '@vscode/l10n';
import { closeSync, openSync } from 'node:fs';
import { asDestinationError, protocolError } from '../io/errors';
import { writeAll } from '../io/writeAll';

/**
 * Makes a file that must not be there yet.
 * @param name what the other side calls it
 * @throws `protocol` when it is there, `destination` when the disk does not take it
 */
export function openNewFile(path: string, name: string): number {
  try {
    return openSync(path, 'wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw asDestinationError(error, path);
    throw protocolError(l10n.t('The other side sends the file {0} twice.', JSON.stringify(name.slice(0, 200))), {
      subject: name,
    });
  }
}

/** Makes a file and fills it. @throws as {@link openNewFile} */
export function writeNewFile(path: string, name: string, bytes: Uint8Array): void {
  const file = openNewFile(path, name);
  try {
    writeAll(file, bytes);
  } catch (error) {
    throw asDestinationError(error, path);
  } finally {
    closeSync(file);
  }
}
