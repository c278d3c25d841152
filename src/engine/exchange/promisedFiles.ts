import * as l10n from '@vscode/l10n';
import { corruptError } from '../io/errors';
import type { Node } from '../revlog/node';

const hunkHead = 12;
const newline = 0x0a;
const nodeLength = 40;

/**
 * The revisions of files that new manifests name, until each has been seen: the hash of a file's revision says nothing of
 * its path, so a history that came under a wrong name is only found by what is missing under the right one.
 *
 * Holds some 60 bytes for each new revision of a file.
 */
export class PromisedFiles {
  private readonly nodes = new Map<string, Set<Node>>();

  /**
   * Notes what a manifest names and the one that its delta applies to did not: the lines that the delta's hunks touch.
   *
   * @param text of the new manifest
   */
  addManifest(text: Uint8Array, delta: Uint8Array): void {
    const [bytes, hunks] = [asBuffer(text), asBuffer(delta)];
    let shift = 0;
    for (let at = 0; at < hunks.length;) {
      const [from, to, length] = [hunks.readUInt32BE(at), hunks.readUInt32BE(at + 4), hunks.readUInt32BE(at + 8)];
      const start = from + shift;
      this.addLines(bytes, lineStart(bytes, start), lineEnd(bytes, start + length));
      shift += length - (to - from);
      at += hunkHead + length;
    }
  }

  /** Notes everything that a manifest names. */
  addWhole(text: Uint8Array): void {
    this.addLines(asBuffer(text), 0, text.length);
  }

  /** What has been noted: paths, and the nodes of their revisions. */
  [Symbol.iterator](): IterableIterator<[string, ReadonlySet<Node>]> {
    return this.nodes.entries();
  }

  /** Forgets a revision that has been seen. */
  keep(path: string, node: Node): void {
    this.nodes.get(path)?.delete(node);
  }

  /**
   * Looks for what has not come in the histories that were there before.
   * @throws `corrupt` when a revision is neither there nor has come
   */
  check(has: (path: string, node: Node) => boolean): void {
    for (const [path, nodes] of this.nodes) {
      for (const node of nodes) {
        if (has(path, node)) continue;
        throw corruptError(
          l10n.t('A manifest names a revision of {0} that is nowhere: {1}.', JSON.stringify(path), node),
          {
            subject: node,
            advice: l10n.t('Nothing of it was kept. Pull again; if it happens again, the other side is damaged.'),
          },
        );
      }
    }
  }

  private addLines(text: Buffer, from: number, to: number): void {
    for (let at = from; at < to;) {
      const end = text.indexOf(newline, at);
      const pathEnd = text.indexOf(0, at);
      if (pathEnd < 0 || end < pathEnd + 1 + nodeLength) {
        throw corruptError(l10n.t('A manifest has a line that names no file, at offset {0}.', at), {
          subject: '00manifest.i',
        });
      }
      const path = text.toString('latin1', at, pathEnd);
      const node = text.toString('latin1', pathEnd + 1, pathEnd + 1 + nodeLength) as Node;
      const nodes = this.nodes.get(path);
      if (nodes === undefined) this.nodes.set(path, new Set([node]));
      else nodes.add(node);
      at = end + 1;
    }
  }
}

function lineStart(text: Buffer, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf(newline, at - 1) + 1;
}

/** The end of the line that a hunk ends in, which is the hunk's own when it ends with a line. */
function lineEnd(text: Buffer, at: number): number {
  if (at === 0 || text[at - 1] === newline) return at;
  const end = text.indexOf(newline, at);
  return end < 0 ? text.length : end + 1;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
