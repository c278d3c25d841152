import type { CompressionName } from '../compression/codec';
import type { Operation } from '../io/operation';
import type { Node } from '../revlog/node';
import type { Capabilities } from './capabilities';

/** The body of a response, as it came: still in the engine that it travelled in. */
export interface WireResponse {
  mediaType: string;
  compression: CompressionName;
  /** Why this engine, as a sentence for people. */
  reason: string;
  /** The bytes in `compression`; whoever stops iterating closes the connection. */
  body: AsyncIterable<Uint8Array>;
}

/** The arguments of `getbundle`, by the names they have on the wire. Absent ones are not sent. */
export interface GetbundleArguments {
  heads?: readonly Node[];
  common?: readonly Node[];
  bundlecaps?: readonly string[];
  listkeys?: readonly string[];
  cg?: boolean;
  phases?: boolean;
  bookmarks?: boolean;
  obsmarkers?: boolean;
  stream?: boolean;
  /** Whether a clone bundle was tried first. */
  cbattempted?: boolean;
}

/** The other side of an exchange. Every call can be cancelled and every failure has a kind. */
export interface Peer {
  /** The address without credentials, for people and for `hgrc`. */
  readonly address: string;
  capabilities(operation: Operation): Promise<Capabilities>;
  heads(operation: Operation): Promise<Node[]>;
  known(nodes: readonly Node[], operation: Operation): Promise<boolean[]>;
  /** The node that `key` (a tag, branch, bookmark, node prefix) stands for. @throws `protocol` when there is none. */
  lookup(key: string, operation: Operation): Promise<Node>;
  listkeys(namespace: string, operation: Operation): Promise<Map<string, string>>;
  /** Branch heads by branch name. */
  branchmap(operation: Operation): Promise<Map<string, Node[]>>;
  /** `heads` and `known` in one round trip where the server has `batch`, in two where it has not. */
  headsAndKnown(nodes: readonly Node[], operation: Operation): Promise<{ heads: Node[]; known: boolean[] }>;
  getbundle(args: GetbundleArguments, operation: Operation): Promise<WireResponse>;
  /** The bundles that the server names for those who clone, as it wrote them; empty where it names none. */
  clonebundles(operation: Operation): Promise<string>;
  /** The legacy stream clone. */
  streamOut(operation: Operation): Promise<WireResponse>;
  close(): Promise<void>;
}
