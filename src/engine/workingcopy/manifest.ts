import * as l10n from '@vscode/l10n';
import { corruptError, unsupportedError } from '../io/errors';
import type { Node } from '../revlog/node';

/** How a file is kept in the working copy, besides its text. */
export type FileKind = 'plain' | 'executable' | 'symlink';

const nodeLength = 40;
const flagX = 0x78;
const flagL = 0x6c;
const flagT = 0x74;

/**
 * The files of one changeset: lines `path \0 node [flag] \n`, sorted by path. The text stays as it is; only where the
 * lines begin is kept beside it, four bytes a file. Paths are bytes as Latin-1.
 */
export class Manifest {
  /** Number of files. */
  readonly length: number;

  /**
   * Wraps a text that {@link parse} has seen before, perhaps in another thread.
   * @param starts offset of each line, and of the end
   */
  constructor(
    readonly bytes: Uint8Array,
    readonly starts: Uint32Array,
  ) {
    this.length = starts.length - 1;
    this.text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  private readonly text: Buffer;

  /**
   * Finds the lines of a manifest's text, and checks every one of them.
   *
   * @param subject what the manifest is called in errors
   * @throws `corrupt` with the offset of a line that is malformed or out of order, `unsupported` for tree manifests
   * @see `hg help internals.revlogs`; the line's form was observed with `hg debugdata -m`
   */
  static parse(bytes: Uint8Array, subject: string): Manifest {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    // The shortest line: one byte of path, NUL, node, line end. Typed, without an object a line: a million files are 4 MB.
    const starts = new Uint32Array(Math.floor(bytes.length / (nodeLength + 3)) + 1);
    let count = 0;
    let previousStart = 0;
    let previousEnd = 0;
    for (let start = 0; start < bytes.length; count++) {
      const pathEnd = text.indexOf(0, start);
      const end = pathEnd < 0 ? -1 : lineEnd(bytes, pathEnd + 1);
      if (pathEnd <= start || end < 0) throw malformed(subject, start, l10n.t('is malformed'));
      if (bytes[end - 1] === flagT) {
        throw unsupportedError(l10n.t('{0} names folders with manifests of their own (tree manifests).', subject), {
          subject: 'treemanifest',
        });
      }
      if (count > 0 && text.compare(text, previousStart, previousEnd, start, pathEnd) <= 0) {
        throw malformed(subject, start, l10n.t('is out of order'));
      }
      starts[count] = start;
      previousStart = start;
      previousEnd = pathEnd;
      start = end + 1;
    }
    starts[count] = bytes.length;
    return new Manifest(bytes, starts.slice(0, count + 1));
  }

  /** Offset of a file's path in the text. */
  pathStart(index: number): number {
    return this.starts[index];
  }

  /** Offset of the end of a file's path in the text. */
  pathEnd(index: number): number {
    return this.starts[index + 1] - nodeLength - (this.kind(index) === 'plain' ? 2 : 3);
  }

  path(index: number): string {
    return this.text.toString('latin1', this.starts[index], this.pathEnd(index));
  }

  node(index: number): Node {
    const start = this.pathEnd(index) + 1;
    return this.text.toString('latin1', start, start + nodeLength) as Node;
  }

  kind(index: number): FileKind {
    const last = this.bytes[this.starts[index + 1] - 2];
    if (last === flagX) return 'executable';
    return last === flagL ? 'symlink' : 'plain';
  }

  /** The place of the file with this path, -1 when there is none. */
  find(path: string): number {
    const wanted = Buffer.from(path, 'latin1');
    let low = 0;
    for (let high = this.length - 1; low <= high;) {
      const middle = (low + high) >>> 1;
      const order = this.text.compare(wanted, 0, wanted.length, this.starts[middle], this.pathEnd(middle));
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}

/** The end of a line whose node begins at `at`, -1 when what follows is no node, flag and line end. */
function lineEnd(bytes: Uint8Array, at: number): number {
  const nodeEnd = at + nodeLength;
  for (let digit = at; digit < nodeEnd; digit++) {
    const byte = bytes[digit];
    if (!((byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66))) return -1;
  }
  const flag = bytes[nodeEnd];
  const end = flag === flagX || flag === flagL || flag === flagT ? nodeEnd + 1 : nodeEnd;
  return bytes[end] === 0x0a ? end : -1;
}

function malformed(subject: string, offset: number, how: string): Error {
  return corruptError(l10n.t('A line of {0} {1}, at offset {2}.', subject, how, offset), { subject, offset });
}
