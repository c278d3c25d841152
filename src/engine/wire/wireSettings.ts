import type { CompressionName } from '../compression/codec';
import type { HostSecurity } from './hostSecurity';

/** What a server asks when it wants to know who calls. */
export interface Challenge {
  /** The address without credentials. After a redirect it is the one that the redirect led to. */
  address: string;
  realm: string;
  /** 1 for the first time; more when what was given before was refused. */
  attempt: number;
  /** The user that the address itself names. */
  username?: string;
}

export interface Credentials {
  username: string;
  password: string;
}

/** Finds credentials, by asking a person or a store of secrets; `undefined` gives up. */
export type CredentialProvider = (challenge: Challenge) => Promise<Credentials | undefined>;

/** How to talk to a server. */
export interface WireSettings {
  credentials?: CredentialProvider;
  /** Milliseconds without a byte, while we wait for one, after which a connection counts as dead; 0 waits for ever. */
  stallTimeout: number;
  /** Milliseconds that making a connection may take, TLS and proxy included; 30 seconds when absent, 0 waits for ever. */
  connectTimeout?: number;
  /** Milliseconds before the rest of a broken download is asked for, doubled each time it is in vain; 500 when absent. */
  retryDelay?: number;
  /** Certificates to trust, in PEM, instead of the system's. */
  certificateAuthorities?: string;
  /** False trusts any certificate: only for a person who said so. */
  rejectUnauthorized?: boolean;
  /** What is special about the connection to a server; wins over the two above. */
  hostSecurity?: (url: URL) => HostSecurity;
  /** The program for addresses of SSH, with arguments of its own; `ssh` when absent. */
  sshCommand?: readonly string[];
  /** The program that is Mercurial on the other side of SSH; `hg` when absent. */
  remoteCommand?: string;
  /** What that program finds in its environment beside our own, for the repository at an address: how it asks a person. */
  sshEnvironment?: (address: string) => Promise<NodeJS.ProcessEnv>;
  /** What we call ourselves. */
  userAgent?: string;
  /** Engines that we let the server choose from, best first. */
  compressionPreference?: readonly CompressionName[];
}

export const defaultWireSettings: WireSettings = { stallTimeout: 60_000 };
