import { nodeAt, nullRev, type Node, type Rev } from '../revlog/node';
import type { Revlog } from '../revlog/revlog';

const nodeLength = 20;

/** The parents and nodes of all changesets, in memory that can move between threads: 28 bytes each. */
export interface GraphColumns {
  /** Two for each changeset; -1 for none. */
  parents: Int32Array<ArrayBuffer>;
  /** 20 bytes for each changeset. */
  nodes: Uint8Array<ArrayBuffer>;
}

/** Reads the graph of a changelog. */
export function readGraphColumns(changelog: Revlog | undefined): GraphColumns {
  const length = changelog?.length ?? 0;
  const parents = new Int32Array(2 * length);
  const nodes = new Uint8Array(nodeLength * length);
  if (changelog !== undefined) {
    for (let rev = 0; rev < length; rev++) {
      parents[2 * rev] = changelog.p1(rev as Rev);
      parents[2 * rev + 1] = changelog.p2(rev as Rev);
      changelog.copyNode(rev as Rev, nodes, nodeLength * rev);
    }
  }
  return { parents, nodes };
}

/** Who descends from whom in a changelog. */
export class ChangelogGraph {
  readonly length: number;
  readonly parents: Int32Array;
  private readonly nodes: Uint8Array;
  /** Places of nodes, by their first bytes; empty cells hold -1. */
  private readonly table: Int32Array;

  constructor({ parents, nodes }: GraphColumns) {
    this.parents = parents;
    this.nodes = nodes;
    this.length = parents.length / 2;
    this.table = new Int32Array(2 ** Math.ceil(Math.log2(2 * this.length + 2))).fill(-1);
    for (let rev = 0; rev < this.length; rev++) {
      let cell = this.cell(nodes, nodeLength * rev);
      while (this.table[cell] >= 0) cell = (cell + 1) & (this.table.length - 1);
      this.table[cell] = rev;
    }
  }

  node(rev: number): Node {
    return nodeAt(this.nodes, nodeLength * rev);
  }

  /** Copies the 20 bytes of a node to `at`. */
  copyNode(rev: number, target: Uint8Array, at: number): void {
    for (let byte = 0; byte < nodeLength; byte++) target[at + byte] = this.nodes[nodeLength * rev + byte];
  }

  /** The revision with this node; undefined when it is not here. */
  find(node: Node): Rev | undefined {
    const bytes = Buffer.from(node, 'hex');
    for (let cell = this.cell(bytes, 0); this.table[cell] >= 0; cell = (cell + 1) & (this.table.length - 1)) {
      const at = nodeLength * this.table[cell];
      if (bytes.compare(this.nodes, at, at + nodeLength) === 0) return this.table[cell] as Rev;
    }
    return undefined;
  }

  /** Those of a set that have no child in it, in order; `set` holds 1 for a member. */
  headsOf(set: Uint8Array): Rev[] {
    const hasChild = new Uint8Array(this.length);
    for (let rev = 0; rev < this.length; rev++) {
      if (set[rev] !== 1) continue;
      for (const parent of [this.parents[2 * rev], this.parents[2 * rev + 1]]) {
        if (parent !== nullRev) hasChild[parent] = 1;
      }
    }
    const heads: Rev[] = [];
    for (let rev = 0; rev < this.length; rev++) if (set[rev] === 1 && hasChild[rev] === 0) heads.push(rev as Rev);
    return heads;
  }

  private cell(bytes: Uint8Array, at: number): number {
    const prefix = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
    return prefix & (this.table.length - 1);
  }
}
