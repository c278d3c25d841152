import * as l10n from '@vscode/l10n';
import { concatenate } from '../io/byteReader';
import { authenticationError, cancelledError, protocolError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import { parseChallenges } from './challenge';
import { argumentHeaders, encodeForm, type WireArguments } from './encodeArguments';
import { sendRequest, type HttpRequest, type HttpResponse } from './httpRequest';
import type { Location } from './location';
import { foreignAnswer, refusalError, serverError } from './refusals';
import type { ResponseBody } from './responseBody';
import type { Credentials, WireSettings } from './wireSettings';

const redirectLimit = 10;
const signInLimit = 5;
const wordsLimit = 64 * 1024;
const mediaTypes = ['application/mercurial-0.1', 'application/mercurial-0.2'] as const;

/** A command of the protocol, and how this server takes its arguments. */
export interface Command {
  name: string;
  args: WireArguments;
  /** In the body of a POST, in headers of lines not longer than so many bytes, or in the address. */
  transport: 'post' | 'query' | { headerLength: number };
  /** What we can take in answer, for `X-HgProto-1`; absent for the 0.1 media type alone. */
  proto?: string;
}

/** A successful answer of a Mercurial server. */
export interface HttpAnswer {
  mediaType: (typeof mediaTypes)[number];
  body: ResponseBody;
}

/** Requests to one server: where they go after redirects, and who asks. */
export class HttpSession {
  /** Where requests go: the address, or where it redirected to. */
  private base: URL;
  /** By origin: what was given to one server is never shown to another. */
  private readonly credentials = new Map<string, Credentials>();
  private readonly open = new Set<ResponseBody>();

  constructor(
    private readonly location: Location,
    private readonly settings: WireSettings,
  ) {
    this.base = new URL(location.address);
    const { username, password } = location;
    if (username !== undefined && password !== undefined)
      this.credentials.set(this.base.origin, { username, password });
  }

  /** The address that answers, for people. */
  get address(): string {
    return this.base.href;
  }

  /**
   * Sends a command, follows redirects and answers challenges, until there is a successful answer.
   * @throws `network`, `authentication`, `cancelled`, and `protocol` for what is no answer of a Mercurial server or has
   * the server's own words for what went wrong.
   */
  async send(command: Command, operation: Operation): Promise<HttpAnswer> {
    let url = commandUrl(this.base, command);
    const seen = new Set([url.href]);
    for (let attempt = 0; ;) {
      const response = await this.request(url, command, operation);
      const { status, headers, body } = response;
      if (status >= 200 && status < 300) return await this.accept(response, url);
      if ([301, 302, 303, 307, 308].includes(status) && headers.location !== undefined) {
        body.close();
        const target = redirectTarget(url, headers.location);
        if (seen.has(target.href) || seen.size > redirectLimit) throw redirectsInCircle(this.address);
        seen.add(target.href);
        this.keepCredentials(url, target);
        url = target;
      } else if (status === 401 && (await this.signIn(response, url, ++attempt, operation))) {
        body.close();
      } else {
        throw await this.refuse(response, url);
      }
    }
  }

  /** Ends what is still being received. */
  close(): void {
    for (const body of this.open) body.close();
    this.open.clear();
  }

  private async request(url: URL, command: Command, operation: Operation): Promise<HttpResponse> {
    const request = withArguments(url, command, this.credentials.get(url.origin));
    const response = await sendRequest(request, this.settings, operation);
    for (const body of this.open) if (body.closed) this.open.delete(body);
    this.open.add(response.body);
    const { status } = response;
    operation.log('debug', `${url.href}: ${status} ${response.headers['content-type'] ?? 'without a type'}`);
    return response;
  }

  /** Takes a successful answer, if it is Mercurial's, and from now on sends everything to where it came from. */
  private async accept({ headers, body }: HttpResponse, url: URL): Promise<HttpAnswer> {
    const sentType = (headers['content-type'] ?? '').split(';')[0].trim().toLowerCase();
    const mediaType = mediaTypes.find((known) => known === sentType);
    const base = baseOf(url);
    if (mediaType === undefined) {
      const words = await beginningOf(body);
      throw sentType === 'application/hg-error'
        ? serverError(words, base.href)
        : foreignAnswer(sentType, words, base.href);
    }
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') {
      body.close();
      throw protocolError(
        l10n.t('The answer of {0} came in the encoding {1}, which was not asked for.', base.href, encoding),
        {
          subject: encoding,
          advice: l10n.t('A proxy on the way may have added it; try without that proxy.'),
        },
      );
    }
    this.base = base;
    return { mediaType, body };
  }

  private async refuse({ status, headers, body }: HttpResponse, url: URL): Promise<Error> {
    // A page for people is of no use in a sentence.
    const isForUs = /^(application\/(mercurial|hg)-|text\/plain)/i.test(headers['content-type'] ?? '');
    const words = isForUs ? await beginningOf(body) : undefined;
    body.close();
    const challenge = headers['www-authenticate'];
    return refusalError(
      { status, challenge, words, hadCredentials: this.credentials.has(url.origin) },
      baseOf(url).href,
    );
  }

  /** Asks for a user name and password. False when there are none to be had. */
  private async signIn(response: HttpResponse, url: URL, attempt: number, operation: Operation): Promise<boolean> {
    const wasRefused = this.credentials.has(url.origin);
    const challenge = parseChallenges(response.headers['www-authenticate'] ?? '').find(({ name }) => name === 'basic');
    if (challenge === undefined || this.settings.credentials === undefined) return false;
    if (attempt > signInLimit) return false;
    const given = await unlessCancelled(
      this.settings.credentials({
        address: baseOf(url).href,
        realm: challenge.realm,
        attempt: wasRefused ? Math.max(attempt, 2) : attempt,
        username: this.location.username,
      }),
      operation,
    );
    if (given === undefined) return false;
    if (given.username.includes(':')) {
      throw authenticationError(l10n.t('A user name cannot have a colon in it.'), {
        status: 401,
        realm: challenge.realm,
      });
    }
    this.credentials.set(url.origin, given);
    return true;
  }

  /** A server may lead from http to https on the same host, and those who signed in there are signed in here. */
  private keepCredentials(from: URL, to: URL): void {
    const isUpgrade =
      from.protocol === 'http:' &&
      to.protocol === 'https:' &&
      from.hostname === to.hostname &&
      from.port + to.port === '';
    const credentials = this.credentials.get(from.origin);
    if (isUpgrade && credentials !== undefined && !this.credentials.has(to.origin)) {
      this.credentials.set(to.origin, credentials);
    }
  }
}

function commandUrl(base: URL, command: Command): URL {
  const url = new URL(base);
  const form = command.transport === 'query' ? encodeForm(command.args) : '';
  url.search = `?cmd=${command.name}${form === '' ? '' : `&${form}`}`;
  return url;
}

function withArguments(url: URL, { args, transport, proto }: Command, credentials?: Credentials): HttpRequest {
  const form = encodeForm(args);
  const headers: Record<string, string> = { Accept: 'application/mercurial-0.1' };
  if (credentials !== undefined) headers.Authorization = basicAuthorization(credentials);
  const body = transport === 'post' && form !== '' ? form : undefined;
  const varying: Record<string, string> = {};
  if (typeof transport !== 'string') Object.assign(varying, argumentHeaders(form, transport.headerLength));
  if (body !== undefined) varying['X-HgArgs-Post'] = String(body.length);
  if (proto !== undefined) varying['X-HgProto-1'] = proto;
  // Tells caches that headers make a difference here, although Vary is for responses: the protocol wants it so.
  const names = Object.keys(varying).join(',');
  if (names !== '') Object.assign(headers, varying, { Vary: names });
  if (body === undefined) return { url, headers };
  Object.assign(headers, { 'Content-Type': 'application/mercurial-0.1', 'Content-Length': String(body.length) });
  return { url, headers, body };
}

/** Where a redirect leads. @throws `protocol` when that is no address, or from https to http */
function redirectTarget(from: URL, target: string): URL {
  let to: URL;
  try {
    to = new URL(target, from);
  } catch {
    throw protocolError(
      l10n.t('{0} redirects to {1}, which is no address.', baseOf(from).href, JSON.stringify(target.slice(0, 200))),
    );
  }
  if (to.protocol !== 'https:' && (from.protocol === 'https:' || to.protocol !== 'http:')) {
    throw protocolError(
      l10n.t('{0} redirects from a secure to an insecure address, {1}.', baseOf(from).href, to.origin),
      {
        subject: baseOf(from).href,
        advice: l10n.t('Use the other address yourself if you trust it.'),
      },
    );
  }
  to.username = to.password = to.hash = '';
  // A target that is an address only, without the question, is asked the same question.
  if (!to.searchParams.has('cmd')) to.search = from.search;
  return to;
}

function redirectsInCircle(address: string): Error {
  return protocolError(l10n.t('{0} redirects in a circle.', address), {
    subject: address,
    advice: l10n.t('Use the address that the redirects should lead to.'),
  });
}

function baseOf(url: URL): URL {
  const base = new URL(url.origin);
  base.pathname = url.pathname;
  return base;
}

function basicAuthorization({ username, password }: Credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** The first bytes of a body, as Latin-1, to see what it is; the rest is not read. */
async function beginningOf(body: ResponseBody): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const bytes of body) {
    pieces.push(bytes);
    length += bytes.length;
    if (length >= wordsLimit) break;
  }
  return Buffer.from(concatenate(pieces, length)).toString('latin1');
}

/** Does not wait for a person who has already cancelled. */
async function unlessCancelled<T>(promise: Promise<T>, operation: Operation): Promise<T> {
  throwIfCancelled(operation);
  let cancel: () => void = () => undefined;
  const cancelled = new Promise<never>((_resolve, reject) => {
    cancel = () => reject(cancelledError());
    operation.signal.addEventListener('abort', cancel, { once: true });
  });
  try {
    return await Promise.race([promise, cancelled]);
  } finally {
    operation.signal.removeEventListener('abort', cancel);
  }
}
