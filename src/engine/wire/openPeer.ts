import { unsupportedError } from '../io/errors';
import type { Operation } from '../io/operation';
import { HttpPeer } from './httpPeer';
import type { Location } from './location';
import { parseSshTarget } from './sshLocation';
import { SshPeer } from './sshPeer';
import type { Peer } from './peer';
import type { WireSettings } from './wireSettings';

/**
 * The peer at `location`, after it has said what it can do. Whoever opens a peer closes it.
 * @throws `network`, `authentication`, `protocol` when what answers is no Mercurial repository, `cancelled`
 */
export async function openPeer(location: Location, settings: WireSettings, operation: Operation): Promise<Peer> {
  const peer = peerFor(location, settings);
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
export function peerFor(location: Location, settings: WireSettings): Peer {
  switch (location.scheme) {
    case 'http':
    case 'https':
      return new HttpPeer(location, settings);
    case 'ssh':
      return new SshPeer(location, location.ssh ?? parseSshTarget(new URL(location.address)), settings);
    case 'file':
      throw unsupportedError(`${location.shown} is on this machine, not on a server.`, { subject: location.shown });
  }
}
