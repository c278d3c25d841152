import { abortPart, bundle2Pieces, type Bundle2PartToWrite } from '../bundle/bundle2Writer';
import { packPieces, type BundlePiece } from '../bundle/bundlePieces';
import { markersVersion } from '../bundle/obsolescence';
import { changegroupVersions, type ChangegroupVersion } from '../bundle/changegroupReader';
import { streamRequirements, streamV1Pieces, streamV2Part } from '../bundle/streamWriter';
import { EngineError, unsupportedError, type ErrorKind } from '../io/errors';
import type { Operation } from '../io/operation';
import { changegroupPieces } from './changegroupPieces';
import type { GetbundleOptions } from './getbundleOptions';
import { keyParts } from './keyParts';
import { findOutgoing, type Outgoing } from './outgoing';
import { markersPart } from './markersPart';
import { phaseHeadsPart } from './phaseHeadsPart';
import type { ResponseWish } from './responseForm';
import type { ServedRepository, ServedView } from './servedRepository';
import { tagsFilesPart } from './tagsFilesPart';
import { StoreSnapshot, type SnapshotScope } from './storeSnapshot';

/** What is known of a bundle beside its bytes. */
export interface BundleInfo extends ResponseWish {
  /** `stream v2`, `changegroup 02` ... */
  format: string;
  /** Bytes and files of a stream. */
  bytes?: number;
  files?: number;
  /** Changesets of a changegroup. */
  changesets?: number;
}

/** A bundle that is about to be made. Dispose of it, whether or not its chunks have been taken. */
export interface BundleChunks extends Disposable {
  info: BundleInfo;
  /** Each valid until the next is asked for. */
  chunks: Iterator<Uint8Array, unknown>;
}

/** How bundles are made. */
export interface BundleSettings {
  /** Gives memory for a chunk; what was given before is done with by then. */
  takeSlab: () => Buffer;
  /** Milliseconds to wait for the store's lock. */
  lockPatience: number;
  /** Whether streams are worth compressing all the same: where the network is slower than this machine. */
  compressStreams: boolean;
}

/** What a legacy stream begins with when it is none. */
const legacyStatus: Partial<Record<ErrorKind, number>> = { unsupported: 1, lockHeld: 2 };
/** Why a server that has secrets has no stream: a stream leaves nothing out. */
const withoutStream = 'stream data requested but server does not allow this feature';
const secretsAdvice = 'The repository has secret changesets. Clone by pull instead.';

/**
 * Makes the bundle that a client asks for, as it is taken: the pieces of a stream come straight from the store's files, as
 * they were when the store's lock was held. Whoever makes a bundle says whether it is worth compressing; a stream is not,
 * and a bundle that only holds an error is not either.
 *
 * @throws `lockHeld`, `unsupported`, `corrupt`, `protocol`, where the client takes no bundle2 that could say so
 */
export async function getBundleChunks(
  served: ServedRepository,
  options: GetbundleOptions,
  settings: BundleSettings,
  operation: Operation,
): Promise<BundleChunks> {
  try {
    return await tryBundleChunks(served, options, settings, operation);
  } catch (error) {
    if (!options.isBundle2 || !(error instanceof EngineError) || error.kind === 'cancelled') throw error;
    return packed(
      { preferCompressed: false, format: 'error' },
      bundle2Pieces([abortPart(error.message, error.advice)]),
      settings,
    );
  }
}

/** The same for whoever can be told of errors in another way. @throws `lockHeld`, `unsupported`, `corrupt` */
export async function tryBundleChunks(
  served: ServedRepository,
  options: GetbundleOptions,
  settings: BundleSettings,
  operation: Operation,
): Promise<BundleChunks> {
  return options.stream ? streamBundle(served, options, settings, operation) : pullBundle(served, options, settings);
}

/** The legacy stream, for whoever can be told of errors in another way. @throws `lockHeld`, `unsupported`, `corrupt` */
export async function tryStreamOutChunks(
  served: ServedRepository,
  settings: BundleSettings,
  operation: Operation,
): Promise<BundleChunks> {
  const { snapshot } = await snapshotOf(served, false, settings, operation);
  const info = {
    preferCompressed: settings.compressStreams,
    format: 'stream v1',
    bytes: snapshot.bytes,
    files: snapshot.count,
  };
  return packed(info, streamV1Pieces(snapshot), settings, snapshot);
}

/** The legacy stream; a line of refusal when there are secrets, or somebody holds the lock. @throws `corrupt` */
export async function streamOutChunks(
  served: ServedRepository,
  settings: BundleSettings,
  operation: Operation,
): Promise<BundleChunks> {
  try {
    return await tryStreamOutChunks(served, settings, operation);
  } catch (error) {
    const status = error instanceof EngineError ? legacyStatus[error.kind] : undefined;
    if (status === undefined) throw error;
    return packed({ preferCompressed: false, format: 'error' }, [Buffer.from(`${status}\n`)], settings);
  }
}

async function streamBundle(
  served: ServedRepository,
  options: GetbundleOptions,
  settings: BundleSettings,
  operation: Operation,
): Promise<BundleChunks> {
  if (options.capabilities.get('stream')?.includes('v2') !== true) {
    throw unsupportedError('stream data requested but the client takes none in version 2');
  }
  const { snapshot, view } = await snapshotOf(served, true, settings, operation);
  const part = streamV2Part(snapshot, streamRequirements(served.repository.requirements));
  const info = {
    preferCompressed: settings.compressStreams,
    format: 'stream v2',
    bytes: snapshot.bytes,
    files: snapshot.count,
  };
  return packed(info, bundle2Pieces([part, ...keyParts(view, options)]), settings, snapshot);
}

/** Names and phases are those of the moment in which the files are looked at: nobody writes while the lock is held. */
async function snapshotOf(
  served: ServedRepository,
  isWhole: boolean,
  { lockPatience }: BundleSettings,
  operation: Operation,
): Promise<{ snapshot: StoreSnapshot; view: ServedView }> {
  let view = served.view();
  const scope = (): SnapshotScope => {
    view = served.view();
    if (view.hasSecrets) throw unsupportedError(withoutStream, { advice: secretsAdvice });
    return { withCaches: isWhole, withPhases: isWhole && !view.isPublishing };
  };
  return { snapshot: await StoreSnapshot.take(served.repository, scope, lockPatience, operation), view };
}

function pullBundle(served: ServedRepository, options: GetbundleOptions, settings: BundleSettings): BundleChunks {
  const view = served.view();
  const outgoing = findOutgoing(view, options.heads, options.common);
  const changesets = outgoing.revs.length;
  if (!options.isBundle2) {
    const info = { preferCompressed: true, format: 'changegroup 01', changesets };
    return packed(info, changegroupPieces(served, view, outgoing, '01'), settings);
  }
  const version = chooseVersion(options);
  const format = options.changegroup ? `changegroup ${version}` : 'keys';
  return packed(
    { preferCompressed: true, format, changesets },
    bundle2Pieces(pullParts(served, view, outgoing, options, version)),
    settings,
  );
}

function* pullParts(
  served: ServedRepository,
  view: ServedView,
  outgoing: Outgoing,
  options: GetbundleOptions,
  version: ChangegroupVersion,
): Generator<Bundle2PartToWrite> {
  if (options.changegroup && outgoing.revs.length > 0) {
    yield {
      type: 'changegroup',
      isMandatory: true,
      mandatory: [['version', version]],
      advisory: [['nbchanges', String(outgoing.revs.length)]],
      payload: changegroupPieces(served, view, outgoing, version),
    };
  }
  yield* keyParts(view, options);
  if (options.phases && options.capabilities.get('phases')?.includes('heads') === true)
    yield phaseHeadsPart(view, outgoing);
  if (options.obsmarkers && served.exchangesMarkers && takesMarkers(options))
    yield* markersPart(served.repository, view, outgoing);
  if (options.changegroup && options.capabilities.has('hgtagsfnodes'))
    yield* tagsFilesPart(served.repository, view, outgoing);
}

function takesMarkers({ capabilities }: GetbundleOptions): boolean {
  return capabilities.get('obsmarkers')?.includes(`V${markersVersion}`) === true;
}

/** The last version that both sides have; the first where the client names none. */
function chooseVersion({ capabilities }: GetbundleOptions): ChangegroupVersion {
  const theirs = capabilities.get('changegroup') ?? ['01'];
  const version = changegroupVersions.findLast((known) => theirs.includes(known));
  if (version !== undefined) return version;
  throw unsupportedError(
    `Of changegroups, the client takes ${theirs.join(', ')}, and this server has ${changegroupVersions.join(', ')}.`,
  );
}

function packed(
  info: BundleInfo,
  pieces: Iterable<BundlePiece>,
  { takeSlab }: BundleSettings,
  held?: Disposable,
): BundleChunks {
  const chunks = packPieces(pieces, takeSlab);
  return {
    info,
    chunks,
    [Symbol.dispose]: () => {
      chunks.return(undefined);
      held?.[Symbol.dispose]();
    },
  };
}
