import type { IncomingMessage } from 'node:http';
import { parseEngine, readableEngines } from '../compression/stream';
import type { CompressionName } from '../compression/codec';
import { concatenate } from '../io/byteReader';
import { authenticationError, protocolError, unsupportedError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import { nullNode, parseNode, type Node } from '../revlog/node';
import { parseListkeys } from '../bundle/listkeysPart';
import { unquote } from '../bundle/quoting';
import { Capabilities } from './capabilities';
import {
  argumentHeaders,
  encodeForm,
  escapeBatch,
  getbundleArguments,
  unescapeBatch,
  type WireArguments,
} from './encodeArguments';
import { responseBody, sendRequest } from './httpRequest';
import type { Location } from './location';
import type { GetbundleArguments, Peer, WireResponse } from './peer';
import { foreignAnswer, realmOf, refusal } from './refusals';
import type { Credentials, WireSettings } from './wireSettings';

const redirectLimit = 10;
const shortAnswerLimit = 64 << 20;
const capabilitiesLimit = 1 << 20;

/** A repository on a Mercurial server, reached by HTTP or HTTPS. */
export class HttpPeer implements Peer {
  readonly address: string;
  /** Where requests go: the address, or where it redirected to. */
  private base: string;
  private knownCapabilities: Capabilities | undefined;
  private credentials: Credentials | undefined;
  /** Where the credentials belong: they are never sent to another origin. */
  private readonly credentialOrigin: string;

  constructor(
    private readonly location: Location,
    private readonly settings: WireSettings,
  ) {
    this.address = location.shown;
    this.base = location.address;
    this.credentialOrigin = new URL(location.address).origin;
    if (location.username !== undefined && location.password !== undefined) {
      this.credentials = { username: location.username, password: location.password };
    }
  }

  async capabilities(operation: Operation): Promise<Capabilities> {
    if (this.knownCapabilities !== undefined) return this.knownCapabilities;
    const answer = await this.shortCommand('capabilities', {}, operation, capabilitiesLimit);
    const capabilities = new Capabilities(answer);
    if (!capabilities.has('getbundle') && !capabilities.has('lookup') && !capabilities.has('batch')) {
      throw protocolError(`What answers at ${this.base} does not list what a Mercurial server can do.`, {
        subject: this.base,
        advice: 'Check that the address is that of a Mercurial repository.',
      });
    }
    return (this.knownCapabilities = capabilities);
  }

  async heads(operation: Operation): Promise<Node[]> {
    return this.parseHeads(await this.shortCommand('heads', {}, operation));
  }

  async known(nodes: readonly Node[], operation: Operation): Promise<boolean[]> {
    return this.parseKnown(await this.shortCommand('known', { nodes: nodes.join(' ') }, operation), nodes.length);
  }

  async lookup(key: string, operation: Operation): Promise<Node> {
    const answer = (await this.shortCommand('lookup', { key }, operation)).trimEnd();
    const [success, ...rest] = answer.split(' ');
    if (success !== '1') throw protocolError(`The server knows no ${key}: ${rest.join(' ')}`, { subject: key });
    return parseNode(rest.join(' '), `The answer to lookup of ${key}`);
  }

  async listkeys(namespace: string, operation: Operation): Promise<Map<string, string>> {
    const answer = await this.shortCommand('listkeys', { namespace }, operation);
    return parseListkeys(Buffer.from(answer, 'latin1'));
  }

  async branchmap(operation: Operation): Promise<Map<string, Node[]>> {
    const branches = new Map<string, Node[]>();
    for (const line of (await this.shortCommand('branchmap', {}, operation)).split('\n').filter(Boolean)) {
      const [name, ...heads] = line.split(' ');
      branches.set(
        unquote(name),
        heads.map((head) => parseNode(head, 'The answer to branchmap')),
      );
    }
    return branches;
  }

  async headsAndKnown(nodes: readonly Node[], operation: Operation): Promise<{ heads: Node[]; known: boolean[] }> {
    if (!(await this.capabilities(operation)).has('batch')) {
      const known = nodes.length === 0 ? [] : await this.known(nodes, operation);
      return { heads: await this.heads(operation), known };
    }
    const cmds = `heads ;known nodes=${escapeBatch(nodes.join(' '))}`;
    const results = (await this.shortCommand('batch', { cmds }, operation)).split(';').map(unescapeBatch);
    if (results.length !== 2) throw protocolError(`The server answered ${results.length} of 2 batched commands.`);
    return { heads: this.parseHeads(results[0]), known: this.parseKnown(results[1], nodes.length) };
  }

  async getbundle(args: GetbundleArguments, operation: Operation): Promise<WireResponse> {
    return this.streamingCommand('getbundle', getbundleArguments(args), args.stream === true, operation);
  }

  async streamOut(operation: Operation): Promise<WireResponse> {
    return this.streamingCommand('stream_out', {}, true, operation);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async shortCommand(
    command: string,
    args: WireArguments,
    operation: Operation,
    limit = shortAnswerLimit,
  ): Promise<string> {
    const response = await this.send(command, args, operation, false);
    const mediaType = mediaTypeOf(response);
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const bytes of responseBody(response, this.settings, operation.signal, this.base)) {
      pieces.push(bytes);
      length += bytes.length;
      if (!mediaType.startsWith('application/mercurial-') && length > 1024) break;
      if (length > limit) {
        throw protocolError(`The answer to ${command} is longer than ${limit} bytes.`, { subject: command });
      }
    }
    const text = Buffer.from(concatenate(pieces, length)).toString('latin1');
    this.refuseForeign(mediaType, text);
    return text;
  }

  private async streamingCommand(
    command: string,
    args: WireArguments,
    isStream: boolean,
    operation: Operation,
  ): Promise<WireResponse> {
    const response = await this.send(command, args, operation, true);
    const mediaType = mediaTypeOf(response);
    const body = responseBody(response, this.settings, operation.signal, this.base);
    if (mediaType === 'application/mercurial-0.2') {
      const { name, rest } = await splitEngineName(body);
      const compression = parseEngine(name);
      return { mediaType, compression, reason: this.reasonFor(compression, isStream), body: rest };
    }
    if (mediaType === 'application/mercurial-0.1') {
      const legacy = command === 'stream_out';
      return {
        mediaType,
        compression: legacy ? 'none' : 'zlib',
        reason: legacy
          ? 'legacy stream clone: always sent uncompressed'
          : 'the server speaks only the 0.1 media type: always zlib',
        body,
      };
    }
    const beginning = await body.next();
    await body.return(undefined);
    const text = beginning.done === true ? '' : Buffer.from(beginning.value).toString('latin1');
    this.refuseForeign(mediaType, text);
    throw foreignAnswer(mediaType, text, this.base);
  }

  private reasonFor(compression: CompressionName, isStream: boolean): string {
    if (compression === 'none') {
      return isStream
        ? 'stream clone: the server prefers to send it uncompressed'
        : 'the server prefers to send it uncompressed';
    }
    return `the server offers ${compression}, and it is the best that both sides have`;
  }

  private refuseForeign(mediaType: string, beginning: string): void {
    if (mediaType === 'application/hg-error') {
      throw protocolError(`The server says: ${beginning.trim()}`, { subject: this.base });
    }
    if (!mediaType.startsWith('application/mercurial-') && !mediaType.startsWith('application/hg-')) {
      throw foreignAnswer(mediaType, beginning, this.base);
    }
  }

  /** Sends a command, follows redirects and answers challenges, until there is a successful response. */
  private async send(
    command: string,
    args: WireArguments,
    operation: Operation,
    streaming: boolean,
  ): Promise<IncomingMessage> {
    let url = this.commandUrl(command);
    for (let redirects = 0, attempt = 0; ;) {
      throwIfCancelled(operation);
      const request = this.request(url, args, streaming);
      const response = await sendRequest(request, this.settings, operation.signal);
      const status = response.statusCode ?? 0;
      if (status >= 200 && status < 300) return response;
      response.destroy();
      const target = response.headers.location;
      if (status >= 300 && status < 400 && target !== undefined) {
        if (++redirects > redirectLimit) {
          throw protocolError(`${this.base} redirects in a circle.`, {
            subject: this.base,
            advice: 'Use the address that the redirects should lead to.',
          });
        }
        url = this.followRedirect(url, target, command);
      } else if (status === 401 && (await this.askCredentials(response, url, ++attempt))) {
        continue;
      } else {
        throw refusal(response, this.base);
      }
    }
  }

  private request(url: URL, args: WireArguments, streaming: boolean) {
    const headers: Record<string, string> = { Accept: 'application/mercurial-0.1', 'User-Agent': 'deltascope' };
    if (this.credentials !== undefined && url.origin === this.credentialOrigin) {
      const { username, password } = this.credentials;
      headers.Authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    }
    if (streaming && this.knownCapabilities?.offersMediaType02 === true) {
      headers['X-HgProto-1'] = `0.1 0.2 comp=${readableEngines.join(',')} partial-pull`;
    }
    const form = encodeForm(args);
    if (form === '') return { url, headers };
    if (this.knownCapabilities?.has('httppostargs') === true) {
      headers['X-HgArgs-Post'] = String(form.length);
      headers['Content-Type'] = 'application/mercurial-0.1';
      headers['Content-Length'] = String(form.length);
      return { url, headers, body: form };
    }
    const lineLength = this.knownCapabilities?.argumentHeaderLength ?? 0;
    if (lineLength > 0) return { url, headers: { ...headers, ...argumentHeaders(form, lineLength) } };
    const withArguments = new URL(url);
    withArguments.search += `&${form}`;
    return { url: withArguments, headers };
  }

  private commandUrl(command: string): URL {
    const url = new URL(this.base);
    if (url.pathname === '') url.pathname = '/';
    url.search = `?cmd=${command}`;
    return url;
  }

  /** Where a redirect leads, which later commands then go to as well. Never from https to http. */
  private followRedirect(from: URL, target: string, command: string): URL {
    let to: URL;
    try {
      to = new URL(target, from);
    } catch {
      throw protocolError(`${this.base} redirects to ${JSON.stringify(target.slice(0, 200))}, which is no address.`);
    }
    if (to.protocol !== 'https:' && (from.protocol === 'https:' || to.protocol !== 'http:')) {
      throw protocolError(`${this.base} redirects from a secure to an insecure address, ${to.origin}.`, {
        subject: this.base,
        advice: 'Use the other address yourself if you trust it.',
      });
    }
    const base = new URL(to);
    base.search = '';
    base.hash = '';
    this.base = base.href.replace(/\/+$/, '');
    if (!to.searchParams.has('cmd')) to.search = `?cmd=${command}`;
    return to;
  }

  private async askCredentials(response: IncomingMessage, url: URL, attempt: number): Promise<boolean> {
    if (url.origin !== this.credentialOrigin) return false;
    if (!/^basic\b/i.test(response.headers['www-authenticate'] ?? '')) {
      throw authenticationError(`${this.base} wants a way of signing in that Deltascope does not have.`, {
        status: 401,
        subject: response.headers['www-authenticate'],
      });
    }
    const { username } = this.location;
    const challenge = { address: this.base, realm: realmOf(response), attempt, username };
    const given = await this.settings.credentials?.(challenge);
    if (given === undefined) return false;
    this.credentials = given;
    return true;
  }

  private parseHeads(answer: string): Node[] {
    const heads = answer.trim().split(/\s+/).filter(Boolean);
    if (heads.length === 0) throw protocolError('The server named no heads.', { subject: this.base });
    return heads.map((head) => parseNode(head, 'The list of heads')).filter((head) => head !== nullNode);
  }

  private parseKnown(answer: string, count: number): boolean[] {
    const bits = answer.trim();
    if (bits.length !== count || /[^01]/.test(bits)) {
      throw protocolError(`The server answered ${bits.length} of ${count} questions for known nodes.`);
    }
    return Array.from(bits, (bit) => bit === '1');
  }
}

function mediaTypeOf(response: IncomingMessage): string {
  return (response.headers['content-type'] ?? '').split(';')[0].trim().toLowerCase();
}

/** Takes the length byte and the engine's name from the front of a 0.2 body. */
async function splitEngineName(
  body: AsyncGenerator<Uint8Array>,
): Promise<{ name: string; rest: AsyncGenerator<Uint8Array> }> {
  let head = new Uint8Array(0);
  while (head.length === 0 || head.length < 1 + head[0]) {
    const next = await body.next();
    if (next.done === true) throw unsupportedError('The response ended before it named its compression.');
    head = concatenate([head, next.value], head.length + next.value.length) as Uint8Array<ArrayBuffer>;
  }
  const end = 1 + head[0];
  const name = Buffer.from(head.subarray(1, end)).toString('latin1');
  return { name, rest: continueWith(head.subarray(end), body) };
}

async function* continueWith(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (first.length > 0) yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
