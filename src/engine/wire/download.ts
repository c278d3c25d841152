import * as l10n from '@vscode/l10n';
import { setTimeout as wait } from 'node:timers/promises';
import { authenticationError, cancelledError, EngineError, networkError, protocolError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import { FileRequest } from './fileRequest';
import type { HttpResponse } from './httpRequest';
import type { WireSettings } from './wireSettings';

/** So often a connection may break without a byte more than before. */
const fruitlessLimit = 5;
/** So often in all. */
const resumeLimit = 100;
const defaultRetryDelay = 500;
const longestDelay = 8000;

/** A file that is being fetched. */
export interface Download {
  /** Where it comes from in the end, without a password. */
  address: string;
  /** Its bytes, where the server says how many. */
  total?: number;
  /** The bytes; whoever stops iterating closes the connection. */
  body: AsyncIterable<Uint8Array>;
  /** How often a connection broke and the rest was asked for. */
  resumptions: () => number;
}

/**
 * Fetches a file. When the connection breaks and the server has said which version of the file it is, the rest is asked for
 * with a range request, as long as that brings bytes; what came already is never asked for again.
 *
 * @throws `network` when there is no answer or the connection breaks for good, with how far it got; `authentication`,
 * `protocol` when the server refuses; `cancelled`. `next` of the body throws the same.
 */
export async function openDownload(url: URL, settings: WireSettings, operation: Operation): Promise<Download> {
  const request = new FileRequest(url, settings);
  const response = await request.send({}, operation);
  if (response.status !== 200) throw refused(response, request.address);
  const transfer = new ResumableTransfer(request, response, settings, operation);
  return {
    address: request.address,
    total: transfer.total,
    body: transfer.bytes(),
    resumptions: () => transfer.resumptions,
  };
}

/** The body of a download over as many connections as it takes. */
class ResumableTransfer {
  resumptions = 0;
  readonly total: number | undefined;
  /** What the server calls this version of the file, if it does. */
  private readonly version: string | undefined;
  private received = 0;
  private fruitless = 0;
  /** Bytes at the beginning of the response that came before: from a server that sends no parts. */
  private repeated = 0;

  constructor(
    private readonly request: FileRequest,
    private response: HttpResponse,
    private readonly settings: WireSettings,
    private readonly operation: Operation,
  ) {
    this.total = lengthOf(response);
    this.version = versionOf(response);
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        try {
          yield* this.rest();
          return;
        } catch (error) {
          await this.resumeAfter(error);
        }
      }
    } finally {
      this.response.body.close();
    }
  }

  private async *rest(): AsyncGenerator<Uint8Array> {
    for await (const bytes of this.response.body) {
      const fresh = bytes.subarray(Math.min(this.repeated, bytes.length));
      this.repeated -= bytes.length - fresh.length;
      if (fresh.length === 0) continue;
      this.received += fresh.length;
      this.fruitless = 0;
      yield fresh;
    }
  }

  /** Asks for what is missing, until there is an answer. @throws what broke the connection, when that is for good */
  private async resumeAfter(error: unknown): Promise<void> {
    if (!(error instanceof EngineError) || error.kind !== 'network') throw error;
    if (this.version === undefined)
      throw this.brokeOff(l10n.t('the server does not say which version of the file it was'), error);
    for (;;) {
      if (this.fruitless === fruitlessLimit || this.resumptions === resumeLimit) {
        throw this.brokeOff(l10n.t('asking for the rest {0} times did not help', this.resumptions), error);
      }
      this.operation.log(
        'warn',
        `The connection to ${this.request.address} broke after ${this.progress()}. Asking for the rest.`,
      );
      await this.pause();
      this.fruitless++;
      this.resumptions++;
      this.operation.progress({ type: 'note', name: 'resumed', value: this.resumptions });
      const response = await this.askForRest(this.version);
      if (response === undefined) continue;
      this.response = response;
      return;
    }
  }

  /** `undefined` when it is worth asking again. @throws when it is not */
  private async askForRest(version: string): Promise<HttpResponse | undefined> {
    const headers = { Range: `bytes=${this.received}-`, 'If-Range': version };
    let response: HttpResponse;
    try {
      response = await this.request.send(headers, this.operation);
    } catch (error) {
      if (error instanceof EngineError && error.kind === 'network') return undefined;
      throw error;
    }
    const { status, body } = response;
    if (status === 206 && this.continues(response)) {
      this.repeated = 0;
      return response;
    }
    if (status === 200 && versionOf(response) === version && lengthOf(response) === this.total) {
      this.repeated = this.received;
      return response;
    }
    body.close();
    if (status === 429 || status >= 500) return undefined;
    if (status === 200 || status === 206 || status === 416)
      throw this.brokeOff(l10n.t('the server has another file there now'));
    throw refused(response, this.request.address);
  }

  private continues({ headers }: HttpResponse): boolean {
    const [, from, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/i.exec(headers['content-range'] ?? '') ?? [];
    return (
      Number(from) === this.received && (total === '*' || this.total === undefined || Number(total) === this.total)
    );
  }

  private async pause(): Promise<void> {
    const { retryDelay = defaultRetryDelay } = this.settings;
    const delay = Math.min(retryDelay * 2 ** this.fruitless, longestDelay);
    try {
      await wait(delay, undefined, { signal: this.operation.signal });
    } catch {
      throw cancelledError();
    }
    throwIfCancelled(this.operation);
  }

  private progress(): string {
    return this.total === undefined
      ? l10n.t('{0} bytes', this.received)
      : l10n.t('{0} of {1} bytes', this.received, this.total);
  }

  private brokeOff(why: string, cause?: Error): Error {
    return networkError(
      l10n.t('The download of {0} broke off after {1}: {2}.', this.request.address, this.progress(), why),
      {
        subject: this.request.address,
        offset: this.received,
        advice: l10n.t('Try again.'),
        cause,
      },
    );
  }
}

function lengthOf({ headers }: HttpResponse): number | undefined {
  const length = headers['content-length'];
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

/** What may stand in `If-Range`: a tag, unless it is a weak one, else a date. @see RFC 9110, section 13.1.5 */
function versionOf({ headers }: HttpResponse): string | undefined {
  const { etag } = headers;
  return etag?.startsWith('"') === true ? etag : headers['last-modified'];
}

function refused({ status, body }: HttpResponse, address: string): Error {
  body.close();
  const details = { subject: address, status };
  if (status === 401 || status === 403)
    return authenticationError(l10n.t('{0} may not be read (status {1}).', address, status), details);
  if (status === 404 || status === 410) return protocolError(l10n.t('There is no file at {0}.', address), details);
  if (status >= 500 || status === 429)
    return networkError(l10n.t('The server of {0} failed with status {1}.', address, status), details);
  return protocolError(l10n.t('{0} answered with status {1}, not with the file.', address, status), details);
}
