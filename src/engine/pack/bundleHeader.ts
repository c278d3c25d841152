import * as l10n from '@vscode/l10n';
import { corruptError, unsupportedError } from '../io/errors';
import { nameOfHex, objectFormat, sha1Format, type ObjectFormat } from './objectFormat';
import type { PackWindow } from './packWindow';

/** What stands before the pack in a `.bundle` file (`git help gitformat-bundle`). */
export interface BundleHeader {
  version: 2 | 3;
  format: ObjectFormat;
  /** `filter` of a partial bundle: objects are left out on purpose. */
  filter?: string;
  /** Objects that the receiving repository must have. */
  prerequisites: { name: string; comment: string }[];
  /** The tips that the bundle brings, such as `refs/heads/main`. */
  references: { name: string; reference: string }[];
}

const signatures = new Map<string, 2 | 3>([
  ['# v2 git bundle', 2],
  ['# v3 git bundle', 3],
]);
const longestLine = 64 * 1024;
const mostLines = 10_000_000;

/**
 * Reads the head of a bundle, up to where its pack begins; undefined, with nothing used, when this is no bundle.
 * @throws `unsupported` for other versions and for capabilities that must be understood; `corrupt` for lines out of form.
 */
export async function readBundleHeader(window: PackWindow): Promise<BundleHeader | undefined> {
  await window.fill(3);
  const { buffer, at } = window;
  if (window.available < 3 || buffer[at] !== 0x23 || buffer[at + 1] !== 0x20 || buffer[at + 2] !== 0x76)
    return undefined;
  const signature = await readLine(window);
  const version = signatures.get(signature);
  if (version === undefined) {
    throw unsupportedError(
      l10n.t('{0} begins with "{1}"; bundles of version 2 and 3 are known.', window.name, signature.slice(0, 40)),
      {
        subject: signature.slice(0, 40),
        offset: 0,
      },
    );
  }
  const header: BundleHeader = { version, format: sha1Format, prerequisites: [], references: [] };
  for (let lines = 0; lines < mostLines; lines++) {
    const offset = window.offset;
    const line = await readLine(window);
    if (line === '') return header;
    readHeaderLine(header, line, offset, window.name);
  }
  throw corruptError(l10n.t('{0} has a header without end.', window.name), {
    subject: window.name,
    offset: window.offset,
  });
}

function readHeaderLine(header: BundleHeader, line: string, offset: number, file: string): void {
  if (line.startsWith('@')) {
    const cut = line.indexOf('=');
    const key = cut < 0 ? line.slice(1) : line.slice(1, cut);
    const value = cut < 0 ? '' : line.slice(cut + 1);
    if (header.version === 3 && key === 'object-format') header.format = objectFormat(value, file);
    else if (header.version === 3 && key === 'filter') header.filter = value;
    else {
      throw unsupportedError(l10n.t('{0} needs the bundle capability {1}, which is not known.', file, key), {
        subject: key,
        offset,
      });
    }
    return;
  }
  const isPrerequisite = line.startsWith('-');
  const [name, rest] = splitOnce(isPrerequisite ? line.slice(1) : line);
  if (nameOfHex(header.format, name) === undefined || (!isPrerequisite && rest === '')) {
    throw corruptError(l10n.t('The bundle header of {0} has a line out of form at offset {1}.', file, offset), {
      subject: file,
      offset,
    });
  }
  if (isPrerequisite) header.prerequisites.push({ name, comment: rest });
  else header.references.push({ name, reference: rest });
}

function splitOnce(line: string): [string, string] {
  const cut = line.indexOf(' ');
  return cut < 0 ? [line, ''] : [line.slice(0, cut), line.slice(cut + 1)];
}

async function readLine(window: PackWindow): Promise<string> {
  let searched = 0;
  for (;;) {
    const found = window.buffer.subarray(0, window.end).indexOf(0x0a, window.at + searched);
    if (found >= 0) {
      const line = Buffer.from(window.buffer.buffer, window.at, found - window.at).toString('utf8');
      window.at = found + 1;
      return line;
    }
    searched = window.available;
    if (searched > longestLine) {
      throw corruptError(
        l10n.t('The bundle header of {0} has a line of more than {1} bytes.', window.name, longestLine),
        {
          subject: window.name,
          offset: window.offset,
        },
      );
    }
    await window.fill(searched + 1);
    if (window.available === searched) throw window.endedEarly(l10n.t('its bundle header'));
  }
}
