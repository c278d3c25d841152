import { protocolError } from '../io/errors';
import { isNode, type Node } from '../revlog/node';
import { parseBundle2Capabilities } from '../wire/capabilities';
import type { GivenArguments } from './commandRequest';

/** What a client asks of `getbundle`. */
export interface GetbundleOptions {
  /** Whether it takes bundle2; a changegroup of version 01 by itself otherwise. */
  isBundle2: boolean;
  /** What its bundle2 can do: capability to values. */
  capabilities: ReadonlyMap<string, readonly string[]>;
  /** What it wants, with ancestors; everything when absent. */
  heads?: readonly Node[];
  /** What it has, with ancestors. */
  common: readonly Node[];
  /** Whether it wants changesets. */
  changegroup: boolean;
  stream: boolean;
  bookmarks: boolean;
  phases: boolean;
  obsmarkers: boolean;
  /** Namespaces whose keys it wants. */
  listkeys: readonly string[];
}

/**
 * Parses the arguments of `getbundle`.
 * @throws `protocol` for heads that are no nodes
 * @see `hg help internals.wireprotocol`
 */
export function parseGetbundle(args: GivenArguments): GetbundleOptions {
  const caps = (args.bundlecaps ?? '').split(',').filter(Boolean);
  const blob = caps.find((word) => word.startsWith('bundle2='))?.slice('bundle2='.length);
  const isOn = (name: string, byDefault: boolean) => (args[name] === undefined ? byDefault : args[name] !== '0');
  return {
    isBundle2: caps.some((word) => word.startsWith('HG2')),
    capabilities: parseBundle2Capabilities(blob ?? ''),
    heads: args.heads === undefined ? undefined : parseNodes(args.heads),
    common: parseNodes(args.common ?? ''),
    changegroup: isOn('cg', true),
    stream: isOn('stream', false),
    bookmarks: isOn('bookmarks', false),
    phases: isOn('phases', false),
    obsmarkers: isOn('obsmarkers', false),
    listkeys: (args.listkeys ?? '').split(',').filter(Boolean),
  };
}

/** Nodes between spaces. @throws `protocol` for what is none */
export function parseNodes(text: string): Node[] {
  return text
    .split(' ')
    .filter(Boolean)
    .map((word) => {
      if (isNode(word)) return word;
      throw protocolError(`${JSON.stringify(word.slice(0, 60))} is no node.`);
    });
}
