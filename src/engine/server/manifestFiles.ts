import type { Rev } from '../revlog/node';

const hunkHead = 12;
const nodeDigits = 40;

/** A line of a manifest: a file, and the node of its revision. */
export interface ManifestLine {
  /** Bytes as Latin-1. */
  file: string;
  /** 20 bytes. */
  node: Buffer;
}

/**
 * The lines that a manifest's delta adds: with the manifest that it applies to, they name every file revision of the one
 * that it makes. Undefined for a delta that is not made of whole lines.
 */
export function decodeManifestLines(delta: Uint8Array): ManifestLine[] | undefined {
  const bytes = Buffer.from(delta.buffer, delta.byteOffset, delta.length);
  const lines: ManifestLine[] = [];
  for (let at = 0; at < bytes.length;) {
    if (at + hunkHead > bytes.length) return undefined;
    const end = at + hunkHead + bytes.readUInt32BE(at + 8);
    if (end > bytes.length) return undefined;
    for (at += hunkHead; at < end;) {
      const zero = bytes.indexOf(0, at);
      const lineEnd = bytes.indexOf(0x0a, zero + 1 + nodeDigits);
      const flags = lineEnd - zero - 1 - nodeDigits;
      if (zero <= at || lineEnd < 0 || lineEnd >= end || flags < 0 || flags > 1) return undefined;
      const digits = bytes.toString('latin1', zero + 1, zero + 1 + nodeDigits);
      const node = Buffer.from(digits, 'hex');
      if (node.length * 2 !== nodeDigits) return undefined;
      lines.push({ file: bytes.toString('latin1', at, zero), node });
      at = lineEnd + 1;
    }
  }
  return lines;
}

/** Which revisions of which files some manifests have, and which changeset is the first to have each. */
export class ManifestFiles {
  private readonly files = new Map<string, { nodes: Buffer[]; links: Rev[] }>();

  add(lines: readonly ManifestLine[], link: Rev): void {
    for (const { file, node } of lines) {
      let entry = this.files.get(file);
      if (entry === undefined) this.files.set(file, (entry = { nodes: [], links: [] }));
      entry.nodes.push(node);
      entry.links.push(link);
    }
  }

  /** By file, in the order of names; for each the nodes in the order in which they came. */
  *sorted(): Generator<[string, Iterable<[Buffer, Rev]>]> {
    for (const file of [...this.files.keys()].sort()) {
      const { nodes, links } = this.files.get(file) ?? { nodes: [], links: [] };
      yield [file, nodes.map((node, at): [Buffer, Rev] => [node, links[at]])];
    }
  }
}
