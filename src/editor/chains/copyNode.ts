import * as vscode from 'vscode';
import { summarizeEntry } from '../../engine/pack/packSummary';
import { chainRow } from '../../engine/revlog/chainColumns';
import { readNode } from '../../engine/revlog/readNode';
import type { ChainNode } from './chainNode';
import { membersOf, memberCount } from './storedChains';

/** Copies the node of a revision, or the name of an object. @throws as `readNode` */
export async function copyNodeName(node: ChainNode): Promise<void> {
  if (node.kind !== 'revision') return;
  const { read, rev } = node;
  const name = 'reading' in read ? readNode(read.reading.columns, rev) : summarizeEntry(read.columns, rev).name;
  await vscode.env.clipboard.writeText(name);
}

/** Copies what is known of a node as JSON, with the names of the command line. */
export async function copyRow(node: ChainNode): Promise<void> {
  const row = rowOf(node);
  if (row !== undefined) await vscode.env.clipboard.writeText(JSON.stringify(row, undefined, 2));
}

function rowOf(node: ChainNode): unknown {
  switch (node.kind) {
    case 'revlog':
      return { ...node.row, findings: node.findings };
    case 'pack':
      return node.pack;
    case 'chain': {
      const { chains } = node.read;
      return {
        base: membersOf(chains, node.chain, 1)[0],
        revisions: memberCount(chains, node.chain),
        bytes: chains.bytes[node.chain],
        longest: chains.longest[node.chain],
      };
    }
    case 'revision': {
      const { read, rev } = node;
      return 'reading' in read ? chainRow(read.reading.columns, rev) : summarizeEntry(read.columns, rev);
    }
    case 'finding':
      return node.finding;
    case 'repository':
      return { ...node.repository, findings: node.survey?.findings };
    case 'group':
    case 'optimization':
    case 'notice':
    case 'more':
      return undefined;
  }
}
