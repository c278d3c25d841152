import type { IncomingMessage } from 'node:http';

/** Arguments of a command by name, whichever were given. */
export type GivenArguments = Readonly<Record<string, string | undefined>>;

/** A command as a request brings it. */
export interface CommandRequest {
  /** Of the repository; empty for the one that is served alone. */
  repository: string;
  /** Absent in the request of a browser. */
  command?: string;
  args: GivenArguments;
  /** What the client says of the media that it takes. */
  media: string;
}

/** A request that is answered with a status and a sentence. */
export class RefusedRequest extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/**
 * Reads command and arguments of a request: from the address, from headers `X-HgArg-1`, `X-HgArg-2` ..., and from the first
 * `X-HgArgs-Post` bytes of its body. Values are bytes as Latin-1.
 *
 * @param bodyBytes most that is read of a body
 * @throws {@link RefusedRequest}
 * @see `hg help internals.wireprotocol`
 */
export async function readCommand(request: IncomingMessage, bodyBytes: number): Promise<CommandRequest> {
  const [path, query = ''] = splitOnce(request.url ?? '/', '?');
  const { cmd, ...inAddress } = parseForm(query);
  const isPost = request.method === 'POST';
  if (!isPost && request.method !== 'GET')
    throw new RefusedRequest(405, 'Only GET and POST are answered', { allow: 'GET, POST' });
  const form = numberedHeaders(request, 'x-hgarg') + (isPost ? await readArguments(request, bodyBytes) : '');
  return {
    repository: parsePath(path),
    command: cmd,
    args: { ...inAddress, ...parseForm(form) },
    media: numberedHeaders(request, 'x-hgproto'),
  };
}

/** The values of `NAME-1`, `NAME-2` ..., joined. */
function numberedHeaders({ headers }: IncomingMessage, name: string): string {
  let joined = '';
  for (let number = 1; ; number++) {
    const value = headers[`${name}-${number}`];
    if (typeof value !== 'string') return joined;
    joined += value;
  }
}

async function readArguments(request: IncomingMessage, limit: number): Promise<string> {
  const wanted = Number(request.headers['x-hgargs-post'] ?? 0);
  if (!Number.isSafeInteger(wanted) || wanted < 0) throw new RefusedRequest(400, 'X-HgArgs-Post is no length');
  if (wanted > limit || Number(request.headers['content-length'] ?? 0) > limit) {
    throw new RefusedRequest(413, `Arguments may have ${limit} bytes`);
  }
  const parts: Buffer[] = [];
  let length = 0;
  for await (const bytes of request as AsyncIterable<Buffer>) {
    length += bytes.length;
    if (length > limit) throw new RefusedRequest(413, `A body may have ${limit} bytes`);
    parts.push(bytes);
  }
  if (length < wanted) throw new RefusedRequest(400, 'The body is shorter than X-HgArgs-Post says');
  return Buffer.concat(parts).toString('latin1', 0, wanted);
}

function parsePath(path: string): string {
  try {
    return decodeURIComponent(path).replace(/^\/+|\/+$/g, '');
  } catch {
    throw new RefusedRequest(400, 'The address is malformed');
  }
}

/** Form encoding, to bytes as Latin-1. Later values win. */
function parseForm(form: string): Record<string, string | undefined> {
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const pair of form.split('&')) {
    if (pair === '') continue;
    const [name, value = ''] = splitOnce(pair, '=');
    values[decodeForm(name)] = decodeForm(value);
  }
  return values;
}

function decodeForm(text: string): string {
  return text
    .replace(/\+/g, ' ')
    .replace(/%([0-9a-fA-F]{2})/g, (_all, digits: string) => String.fromCharCode(parseInt(digits, 16)));
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
