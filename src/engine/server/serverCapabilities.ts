import { markersVersion } from '../bundle/obsolescence';
import { quoteCapabilities } from '../bundle/quoting';
import { streamRequirements } from '../bundle/streamWriter';
import type { CompressionName } from '../compression/codec';
import { namesCloneBundles } from './cloneBundlesFile';
import type { ServedRepository } from './servedRepository';

/** Longest header line that arguments may come in. */
export const argumentHeaderLength = 1024;

/** What our bundle2 can do, besides streams. */
const bundle2 = [
  'HG20',
  'bookmarks',
  'changegroup=01,02,03',
  'error=abort,unsupportedcontent',
  'hgtagsfnodes',
  'listkeys',
  'phases=heads',
];

/** What of it can be chosen. */
export interface CapabilityChoices {
  /** Engines that responses may travel in, best first. */
  engines: readonly CompressionName[];
  /** Arguments are wanted in bodies. */
  postArguments: boolean;
}

/**
 * What this server says that it can do: words, some with values. `pushkey` is among them because a client without it asks
 * for no keys; nothing can be pushed. There is no stream of a repository that has secrets, and
 * clone bundles where the repository names some.
 *
 * @see `hg help internals.wireprotocol`
 */
export function serverCapabilities(served: ServedRepository, { engines, postArguments }: CapabilityChoices): string {
  const requirements = streamRequirements(served.repository.requirements);
  const hasStream = !served.view().hasSecrets;
  const offered = [
    ...bundle2,
    ...(served.exchangesMarkers ? [`obsmarkers=V${markersVersion}`] : []),
    ...(hasStream ? ['stream=v2'] : []),
  ];
  const ofStream = requirements.every((name) => name === 'revlogv1')
    ? 'stream'
    : `streamreqs=${requirements.join(',')}`;
  return [
    ...['batch', 'branchmap'],
    `bundle2=${quoteCapabilities(offered)}`,
    `compression=${engines.filter((engine) => engine !== 'none').join(',')}`,
    ...(namesCloneBundles(served.repository) ? ['clonebundles'] : []),
    ...['getbundle', `httpheader=${argumentHeaderLength}`, 'httpmediatype=0.1rx,0.1tx,0.2tx'],
    ...(postArguments ? ['httppostargs'] : []),
    ...['known', 'lookup', 'pushkey'],
    ...(hasStream ? [ofStream] : []),
  ].join(' ');
}
