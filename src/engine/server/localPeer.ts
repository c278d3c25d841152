import * as l10n from '@vscode/l10n';
import { unsupportedError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import type { Node } from '../revlog/node';
import type { Tasks } from '../tasks';
import { Capabilities } from '../wire/capabilities';
import { getbundleArguments, type WireArguments } from '../wire/encodeArguments';
import type { LocalPeers } from '../wire/openPeer';
import type { GetbundleArguments, Peer, WireResponse } from '../wire/peer';
import { parseBranchmap, parseHeads, parseKeys, parseKnown, parseLookup } from '../wire/shortAnswers';
import { ServingThread, type ServedAnswer } from './servingThread';

/** 1 MB of a bundle at a time. */
const chunksInSlab = 32;
const lockPatience = 30_000;

/** Peers for repositories of this machine, each with a thread of its own that reads one. */
export function localPeers(workers: WorkerPool<Tasks>): LocalPeers {
  return (path) => new LocalPeer(path, workers);
}

/**
 * A repository of this machine, asked as a server is: another thread answers what ours would answer over HTTP, so that
 * secret and hidden changesets stay where they are. Nothing is written there; its lock is taken for a stream alone.
 */
class LocalPeer implements Peer {
  private thread: ServingThread | undefined;
  private greeting: Promise<Capabilities> | undefined;

  constructor(
    readonly address: string,
    private readonly workers: WorkerPool<Tasks>,
  ) {}

  /** @throws `destination` where there is no repository, `unsupported` for one that cannot be read */
  capabilities(operation: Operation): Promise<Capabilities> {
    this.greeting ??= this.ask('capabilities', {}, operation).then((answer) => new Capabilities(answer));
    return this.greeting;
  }

  async heads(operation: Operation): Promise<Node[]> {
    return parseHeads(await this.ask('heads', {}, operation));
  }

  async known(nodes: readonly Node[], operation: Operation): Promise<boolean[]> {
    return parseKnown(await this.ask('known', { nodes: nodes.join(' ') }, operation), nodes.length);
  }

  async lookup(key: string, operation: Operation): Promise<Node> {
    return parseLookup(await this.ask('lookup', { key: Buffer.from(key).toString('latin1') }, operation), key);
  }

  async listkeys(namespace: string, operation: Operation): Promise<Map<string, string>> {
    return parseKeys(await this.ask('listkeys', { namespace }, operation));
  }

  async branchmap(operation: Operation): Promise<Map<string, Node[]>> {
    return parseBranchmap(await this.ask('branchmap', {}, operation));
  }

  async headsAndKnown(nodes: readonly Node[], operation: Operation): Promise<{ heads: Node[]; known: boolean[] }> {
    return { heads: await this.heads(operation), known: await this.known(nodes, operation) };
  }

  getbundle(args: GetbundleArguments, operation: Operation): Promise<WireResponse> {
    return this.stream('getbundle', getbundleArguments(args), operation);
  }

  /** None: they would save a server its work, and here there is no server. */
  clonebundles(): Promise<string> {
    return Promise.resolve('');
  }

  streamOut(operation: Operation): Promise<WireResponse> {
    return this.stream('stream_out', {}, operation);
  }

  async close(): Promise<void> {
    this.thread?.close();
    await this.thread?.ended;
  }

  private async ask(command: string, args: WireArguments, operation: Operation): Promise<string> {
    const answer = await this.run(command, args, operation);
    if (answer.type === 'text') return answer.text;
    throw unsupportedError(l10n.t('The repository at {0} has no {1}.', this.address, command), { subject: command });
  }

  private async stream(command: string, args: WireArguments, operation: Operation): Promise<WireResponse> {
    const answer = await this.run(command, args, operation);
    if (answer.type === 'text')
      throw unsupportedError(l10n.t('The repository at {0} has no {1}.', this.address, command));
    const body = untilCancelled(answer.chunks, operation);
    return { mediaType: 'none', compression: 'none', reason: l10n.t('both repositories are on this machine'), body };
  }

  private run(command: string, args: WireArguments, operation: Operation): Promise<ServedAnswer> {
    this.thread ??= ServingThread.start(this.workers, operation);
    const how = { chunksInSlab, lockPatience, compressStreams: false, postArguments: false, throwsErrors: true };
    return this.thread.ask({ root: this.address, command, args, engines: ['none'], ...how }, operation.signal);
  }
}

/** What a thread says that was told to stop is of no interest. */
async function* untilCancelled(chunks: AsyncIterable<Uint8Array>, operation: Operation): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of chunks) {
      throwIfCancelled(operation);
      yield chunk;
    }
  } catch (error) {
    throwIfCancelled(operation);
    throw error;
  }
}
