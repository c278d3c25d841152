import type { CompressionName } from '../compression/codec';

/** Who may ask: whoever knows a token (as password of any user, or as bearer), or one user with a password. */
export type Access = { kind: 'token'; token: string } | { kind: 'basic'; username: string; password: string };

/** What a server allows. Times are milliseconds. */
export interface ServeLimits {
  /** Of all headers of a request, in bytes: arguments come in headers. */
  headerBytes: number;
  /** Of arguments that come in a body. */
  bodyBytes: number;
  /** Connections at a time; more are told to come back later. */
  clients: number;
  /** Bundles that are made at a time; more are told to come back later. */
  bundles: number;
  /** Until a request is there with all of its headers, and with its body. */
  headerTime: number;
  requestTime: number;
  /** Until a client has taken what was sent: some hundred kB. */
  slowReaderTime: number;
  /** For one response. */
  responseTime: number;
  /** For the store's lock. */
  lockTime: number;
}

export const defaultServeLimits: ServeLimits = {
  headerBytes: 256 * 1024,
  bodyBytes: 16 << 20,
  clients: 128,
  bundles: 64,
  headerTime: 15_000,
  requestTime: 60_000,
  slowReaderTime: 60_000,
  responseTime: 6 * 3600_000,
  lockTime: 30_000,
};

/** What is to be served, where, and to whom. Everything is read-only. */
export interface ServeRequest {
  repositories: readonly {
    /** The folder that holds `.hg`. */
    root: string;
    /** What it is called in addresses; by default the name of the folder. */
    name?: string;
  }[];
  /** The address to listen on; this machine alone by default. */
  host?: string;
  /** The port to listen on; by default any that is free. */
  port?: number;
  /** By default whoever reaches the port. */
  access?: Access;
  limits?: Partial<ServeLimits>;
  /** Engines that responses may travel in, best first; by default all that can be written here. */
  engines?: readonly CompressionName[];
  /** Compresses streams too, where the client takes them compressed: for networks slower than this machine. */
  compressStreams?: boolean;
  /** Asks clients to send arguments in bodies. They may do so anyway. */
  postArguments?: boolean;
}

/** A repository that is served. */
export interface ServedAddress {
  root: string;
  name: string;
  /** What `hg clone` takes. */
  address: string;
}

/** A connection, and what is going on over it. */
export interface ServedClient {
  id: number;
  /** Address and port of the other end. */
  remote: string;
  /** What it calls itself. */
  userAgent: string;
  /** Milliseconds since 1970. */
  since: number;
  /** Bytes sent so far, over the whole connection. */
  bytesSent: number;
  /** The request that is being answered, or the last one that was. */
  request?: ServedTransfer;
}

/** One request, and how its answer goes. */
export interface ServedTransfer {
  command: string;
  /** The name of the repository. */
  repository: string;
  state: 'running' | 'done' | 'refused' | 'failed' | 'broken off';
  /** Milliseconds since 1970. */
  began: number;
  ended?: number;
  /** Bytes of this answer that have been sent. */
  bytesSent: number;
  /** `stream v2`, `changegroup 02` ... for bundles. */
  format?: string;
  /** Bytes and files in the stream, changesets in the changegroup. */
  bytes?: number;
  files?: number;
  changesets?: number;
  mediaType?: string;
  /** The engine that it travels in, and why. */
  compression?: CompressionName;
  reason?: string;
  /** What went wrong. */
  error?: string;
}

/** What happens at a server. What is told about is live: copy what is to be kept. */
export interface ServeEvent {
  type: 'connected' | 'started' | 'progress' | 'finished' | 'disconnected';
  client: Readonly<ServedClient>;
}

/** A server that runs. */
export interface RepositoryServer extends AsyncDisposable {
  /** `http://127.0.0.1:8000/` */
  readonly address: string;
  readonly port: number;
  readonly repositories: readonly ServedAddress[];
  /** Who is connected now. */
  readonly clients: readonly Readonly<ServedClient>[];
  /** Bytes a second that go out to all of them, over the last seconds. */
  readonly rate: number;
  /** Bytes sent, and bundles sent whole, since it was started. */
  readonly totals: Readonly<{ bytes: number; bundles: number }>;
  /** Tells of everything that happens; gives what stops that. */
  watch(listener: (event: ServeEvent) => void): () => void;
  /** Breaks off one client. */
  disconnect(id: number): void;
  /** Ends it, and breaks off who is still there. */
  close(): Promise<void>;
  /** Resolves when it has ended, for whatever reason. */
  readonly closed: Promise<void>;
}
