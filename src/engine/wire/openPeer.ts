import * as l10n from '@vscode/l10n';
import { unsupportedError } from '../io/errors';
import type { Operation } from '../io/operation';
import { HttpPeer } from './httpPeer';
import type { Location } from './location';
import { parseSshTarget } from './sshLocation';
import { SshPeer } from './sshPeer';
import type { Peer } from './peer';
import type { WireSettings } from './wireSettings';

/** Makes the peer for the repository at a path of this machine. */
export type LocalPeers = (path: string) => Peer;

/**
 * The peer at `location`, after it has said what it can do. Whoever opens a peer closes it.
 * @param local for a repository of this machine, which takes threads that read it
 * @throws `network`, `authentication`, `protocol` when what answers is no Mercurial repository, `cancelled`
 */
export async function openPeer(
  location: Location,
  settings: WireSettings,
  operation: Operation,
  local?: LocalPeers,
): Promise<Peer> {
  const peer = peerFor(location, settings, local);
  const report = (state: 'running' | 'done', done: number) =>
    operation.progress({ type: 'phase', phase: 'connect', state, done, unit: 'requests' });
  try {
    report('running', 0);
    await peer.capabilities(operation);
    report('done', 1);
    return peer;
  } catch (error) {
    await peer.close();
    throw error;
  }
}

/** The peer at `location`, which has not been talked to yet. */
export function peerFor(location: Location, settings: WireSettings, local?: LocalPeers): Peer {
  switch (location.scheme) {
    case 'http':
    case 'https':
      return new HttpPeer(location, settings);
    case 'ssh':
      return new SshPeer(location, location.ssh ?? parseSshTarget(new URL(location.address)), settings);
    case 'file':
      if (local !== undefined) return local(location.address);
      throw unsupportedError(l10n.t('{0} is on this machine, not on a server.', location.shown), {
        subject: location.shown,
      });
  }
}
