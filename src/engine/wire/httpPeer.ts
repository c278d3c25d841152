import * as l10n from '@vscode/l10n';
import { parseEngine } from '../compression/stream';
import { concatenate } from '../io/byteReader';
import { networkError, protocolError, unsupportedError } from '../io/errors';
import type { Operation } from '../io/operation';
import type { Node } from '../revlog/node';
import { decodeBatch, encodeBatch } from './batch';
import { Capabilities } from './capabilities';
import { offeredEngines, reasonForEngine } from './compressionChoice';
import { getbundleArguments, type WireArguments } from './encodeArguments';
import { HttpSession, type Command, type HttpAnswer } from './httpSession';
import type { Location } from './location';
import type { GetbundleArguments, Peer, WireResponse } from './peer';
import type { ResponseBody } from './responseBody';
import { parseBranchmap, parseHeads, parseKeys, parseKnown, parseLookup } from './shortAnswers';
import type { WireSettings } from './wireSettings';

const shortAnswerLimit = 64 << 20;
const capabilitiesLimit = 1 << 20;
/** So many nodes still fit into the hundred headers that common servers take at most. */
const nodesPerRequest = 1000;
const nodesPerAddress = 150;

/** A repository on a Mercurial server, reached by HTTP or HTTPS. */
export class HttpPeer implements Peer {
  readonly address: string;
  private readonly session: HttpSession;
  private knownCapabilities: Capabilities | undefined;

  constructor(
    location: Location,
    private readonly settings: WireSettings,
  ) {
    this.address = location.shown;
    this.session = new HttpSession(location, settings);
  }

  async capabilities(operation: Operation): Promise<Capabilities> {
    if (this.knownCapabilities !== undefined) return this.knownCapabilities;
    const command: Command = { name: 'capabilities', args: {}, transport: 'query' };
    const answer = await readShort(await this.session.send(command, operation), command.name, capabilitiesLimit);
    const capabilities = new Capabilities(answer);
    if (!capabilities.has('getbundle') && !capabilities.has('lookup') && !capabilities.has('batch')) {
      throw protocolError(
        l10n.t('What answers at {0} does not list what a Mercurial server can do.', this.session.address),
        {
          subject: this.session.address,
          advice: l10n.t('Check that the address is that of a Mercurial repository.'),
        },
      );
    }
    return (this.knownCapabilities = capabilities);
  }

  async heads(operation: Operation): Promise<Node[]> {
    return parseHeads(await this.ask('heads', {}, operation));
  }

  async known(nodes: readonly Node[], operation: Operation): Promise<boolean[]> {
    await this.demand('known', operation);
    const step = await this.nodesPerRequest(operation);
    const known: boolean[] = [];
    for (let at = 0; at < nodes.length; at += step) {
      const some = nodes.slice(at, at + step);
      known.push(...parseKnown(await this.ask('known', { nodes: some.join(' ') }, operation), some.length));
    }
    return known;
  }

  async lookup(key: string, operation: Operation): Promise<Node> {
    return parseLookup(await this.ask('lookup', { key }, operation), key);
  }

  async listkeys(namespace: string, operation: Operation): Promise<Map<string, string>> {
    return parseKeys(await this.ask('listkeys', { namespace }, operation));
  }

  async branchmap(operation: Operation): Promise<Map<string, Node[]>> {
    return parseBranchmap(await this.ask('branchmap', {}, operation));
  }

  async headsAndKnown(nodes: readonly Node[], operation: Operation): Promise<{ heads: Node[]; known: boolean[] }> {
    const capabilities = await this.capabilities(operation);
    if (!capabilities.has('batch') || !capabilities.has('known')) {
      return { heads: await this.heads(operation), known: nodes.length > 0 ? await this.known(nodes, operation) : [] };
    }
    const first = nodes.slice(0, await this.nodesPerRequest(operation));
    const cmds = encodeBatch([
      { command: 'heads', args: {} },
      { command: 'known', args: { nodes: first.join(' ') } },
    ]);
    const [heads, known] = decodeBatch(await this.ask('batch', { cmds }, operation), 2);
    const others = nodes.slice(first.length);
    return {
      heads: parseHeads(heads),
      known: [...parseKnown(known, first.length), ...(others.length > 0 ? await this.known(others, operation) : [])],
    };
  }

  async getbundle(args: GetbundleArguments, operation: Operation): Promise<WireResponse> {
    await this.demand('getbundle', operation);
    const isStream = args.stream === true;
    const { mediaType, body } = await this.send('getbundle', getbundleArguments(args), operation, isStream);
    if (mediaType === 'application/mercurial-0.2') return this.chosenEngine(mediaType, body, isStream);
    return {
      mediaType,
      compression: 'zlib',
      reason: l10n.t('the server answers in the 0.1 media type: always zlib'),
      body,
    };
  }

  async clonebundles(operation: Operation): Promise<string> {
    if (!(await this.capabilities(operation)).has('clonebundles')) return '';
    return this.ask('clonebundles', {}, operation);
  }

  async streamOut(operation: Operation): Promise<WireResponse> {
    const capabilities = await this.capabilities(operation);
    if (capabilities.legacyStreamRequirements === undefined) throw this.lacks('stream');
    const { mediaType, body } = await this.send('stream_out', {}, operation, true);
    if (mediaType === 'application/mercurial-0.2') return this.chosenEngine(mediaType, body, true);
    return { mediaType, compression: 'none', reason: l10n.t('legacy stream clone: always sent uncompressed'), body };
  }

  close(): Promise<void> {
    this.session.close();
    return Promise.resolve();
  }

  /** The answer to a command that is short, as Latin-1. */
  private async ask(name: string, args: WireArguments, operation: Operation): Promise<string> {
    const answer = await this.session.send(await this.command(name, args, operation), operation);
    return readShort(answer, name, shortAnswerLimit);
  }

  private async send(name: string, args: WireArguments, operation: Operation, isStream: boolean): Promise<HttpAnswer> {
    const command = await this.command(name, args, operation);
    const capabilities = await this.capabilities(operation);
    if (!capabilities.offersMediaType02) return this.session.send(command, operation);
    // Without `partial-pull`, which would let the server answer with a part of what was asked for.
    const proto = `0.1 0.2 comp=${offeredEngines(this.settings, isStream).join(',')}`;
    return this.session.send({ ...command, proto }, operation);
  }

  private async command(name: string, args: WireArguments, operation: Operation): Promise<Command> {
    const capabilities = await this.capabilities(operation);
    const headerLength = capabilities.argumentHeaderLength;
    const transport = capabilities.has('httppostargs') ? 'post' : headerLength > 0 ? { headerLength } : 'query';
    return { name, args, transport };
  }

  private async nodesPerRequest(operation: Operation): Promise<number> {
    const { transport } = await this.command('known', {}, operation);
    return transport === 'query' ? nodesPerAddress : nodesPerRequest;
  }

  private async chosenEngine(mediaType: string, body: ResponseBody, isStream: boolean): Promise<WireResponse> {
    const { name, rest } = await splitEngineName(body, this.session.address);
    try {
      const compression = parseEngine(name);
      const offered = offeredEngines(this.settings, isStream);
      const reason = reasonForEngine(compression, isStream, offered, this.knownCapabilities);
      return { mediaType, compression, reason, body: rest };
    } catch (error) {
      body.close();
      throw error;
    }
  }

  private async demand(capability: string, operation: Operation): Promise<void> {
    if (!(await this.capabilities(operation)).has(capability)) throw this.lacks(capability);
  }

  private lacks(capability: string): Error {
    return unsupportedError(
      l10n.t('The server at {0} has no {1}: it may be too old.', this.session.address, capability),
      {
        subject: capability,
        advice: l10n.t('Clone it with the hg program, or have the server updated.'),
      },
    );
  }
}

async function readShort({ mediaType, body }: HttpAnswer, command: string, limit: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const bytes of body) {
    pieces.push(bytes);
    length += bytes.length;
    if (length > limit) {
      throw protocolError(l10n.t('The answer to {0} is longer than {1} bytes.', command, limit), { subject: command });
    }
  }
  if (mediaType !== 'application/mercurial-0.1') {
    throw protocolError(l10n.t('The answer to {0} came as {1}, which was not asked for.', command, mediaType), {
      subject: command,
    });
  }
  return Buffer.from(concatenate(pieces, length)).toString('latin1');
}

/** Takes the length byte and the engine's name from the front of a 0.2 body. */
async function splitEngineName(
  body: ResponseBody,
  address: string,
): Promise<{ name: string; rest: AsyncIterable<Uint8Array> }> {
  let head: Uint8Array = new Uint8Array(0);
  while (head.length === 0 || head.length < 1 + head[0]) {
    const next = await body.next();
    if (next.done === true) {
      throw networkError(
        l10n.t('The answer of {0} ended after {1} bytes, before it named its compression.', address, head.length),
        {
          subject: address,
          offset: head.length,
          advice: l10n.t('Try again.'),
        },
      );
    }
    head = concatenate([head, next.value], head.length + next.value.length);
  }
  const end = 1 + head[0];
  return { name: Buffer.from(head.subarray(1, end)).toString('latin1'), rest: body.startingWith(head.subarray(end)) };
}
