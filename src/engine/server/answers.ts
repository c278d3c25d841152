import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { RefusedRequest } from './commandRequest';

/** Refused for now: the client is told to ask again. */
export function comeBack(message: string): RefusedRequest {
  return new RefusedRequest(503, message, { 'retry-after': '10' });
}

/** Sends a short answer, whole; fails when the client goes away before it has it. */
export async function sendText(response: ServerResponse, mediaType: string, text: string): Promise<void> {
  const bytes = Buffer.from(text, 'latin1');
  response.writeHead(200, { 'content-type': mediaType, 'content-length': bytes.length });
  await new Promise<void>((done, failed) => {
    response.once('close', () => (response.writableFinished ? done() : failed(new Error('The client went away.'))));
    response.end(bytes, done);
  });
}

/** Mercurial shows the words of the status, so they are the sentence; what else came over the connection is not read. */
export function refuse(response: ServerResponse, { status, message, headers }: RefusedRequest): void {
  const isAsked = status === 401;
  response.writeHead(status, message, {
    'content-type': 'text/plain',
    ...(isAsked ? {} : { connection: 'close' }),
    ...headers,
  });
  response.end(`${message}\n`);
}

/** Answers what is no HTTP, or too slow or too large to be read. */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Headers Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
