import type { Socket } from 'node:net';
import type { ServedClient, ServedTransfer, ServeEvent } from './serveRequest';

const progressEvery = 250;
/** How many of those the rate is taken over. */
const ratePeriods = 8;

interface Connected {
  client: ServedClient;
  socket: Socket;
  /** What the socket had sent when its request began. */
  sentBefore: number;
  told: number;
}

/** Who is connected to a server, how much each has been sent, and who wants to know. */
export class ServedClients implements Disposable {
  readonly totals = { bytes: 0, bundles: 0 };
  private readonly all = new Map<Socket, Connected>();
  private readonly listeners = new Set<(event: ServeEvent) => void>();
  private readonly sent: { time: number; bytes: number }[] = [];
  private readonly timer = setInterval(() => this.look(), progressEvery).unref();
  private count = 0;
  /** Sent over connections that are gone. */
  private bytesBefore = 0;

  get list(): ServedClient[] {
    return [...this.all.values()].map((connected) => this.refreshed(connected).client);
  }

  get rate(): number {
    const [first] = this.sent;
    const last = this.sent.at(-1);
    if (last === undefined || last.time === first.time) return 0;
    return ((last.bytes - first.bytes) * 1000) / (last.time - first.time);
  }

  watch(listener: (event: ServeEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  connected(socket: Socket): void {
    const { remoteAddress = '', remotePort = 0 } = socket;
    const remote = remoteAddress.includes(':') ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
    const client: ServedClient = { id: ++this.count, remote, userAgent: '', since: Date.now(), bytesSent: 0 };
    this.all.set(socket, { client, socket, sentBefore: 0, told: 0 });
    this.tell('connected', client);
    socket.once('close', () => this.disconnected(socket));
  }

  /** A request has come over a connection; what becomes of it is noted in what this gives. */
  started(socket: Socket, userAgent: string, command: string, repository: string): ServedTransfer {
    const request: ServedTransfer = { command, repository, state: 'running', began: Date.now(), bytesSent: 0 };
    const connected = this.all.get(socket);
    if (connected !== undefined) {
      connected.client.userAgent = userAgent;
      connected.client.request = request;
      connected.sentBefore = socket.bytesWritten;
      this.tell('started', connected.client);
    }
    return request;
  }

  /** The request's form is known. */
  progressed(socket: Socket): void {
    const connected = this.all.get(socket);
    if (connected !== undefined) this.tell('progress', this.refreshed(connected).client);
  }

  finished(socket: Socket, request: ServedTransfer, state: ServedTransfer['state'], error?: string): void {
    const connected = this.all.get(socket);
    if (connected !== undefined) this.refreshed(connected);
    Object.assign(request, { state, error, ended: Date.now() });
    if (state === 'done' && request.format !== undefined && request.format !== 'error') this.totals.bundles++;
    if (connected !== undefined) this.tell('finished', connected.client);
  }

  disconnect(id: number): void {
    for (const { client, socket } of this.all.values()) if (client.id === id) socket.destroy();
  }

  [Symbol.dispose](): void {
    clearInterval(this.timer);
    for (const { socket } of this.all.values()) socket.destroy();
  }

  private disconnected(socket: Socket): void {
    const connected = this.all.get(socket);
    if (connected === undefined) return;
    this.refreshed(connected);
    this.all.delete(socket);
    this.bytesBefore += connected.client.bytesSent;
    const { request } = connected.client;
    if (request?.state === 'running') this.finishedBroken(connected, request);
    this.tell('disconnected', connected.client);
  }

  private finishedBroken({ client }: Connected, request: ServedTransfer): void {
    Object.assign(request, { state: 'broken off', ended: Date.now() });
    this.tell('finished', client);
  }

  private look(): void {
    for (const connected of this.all.values()) {
      const { client } = this.refreshed(connected);
      if (client.request?.state !== 'running' || client.bytesSent === connected.told) continue;
      connected.told = client.bytesSent;
      this.tell('progress', client);
    }
    this.totals.bytes =
      this.bytesBefore + [...this.all.values()].reduce((sum, { client }) => sum + client.bytesSent, 0);
    this.sent.push({ time: performance.now(), bytes: this.totals.bytes });
    if (this.sent.length > ratePeriods) this.sent.shift();
  }

  private refreshed(connected: Connected): Connected {
    const { client, socket, sentBefore } = connected;
    client.bytesSent = Math.max(client.bytesSent, socket.bytesWritten);
    if (client.request?.state === 'running') client.request.bytesSent = client.bytesSent - sentBefore;
    return connected;
  }

  private tell(type: ServeEvent['type'], client: ServedClient): void {
    for (const listener of this.listeners) listener({ type, client });
  }
}
