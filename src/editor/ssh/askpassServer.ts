import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SshQuestion } from './sshQuestion';

/** Answers a question of `ssh`; `undefined` gives up. It is over when `signal` is aborted. */
export type Answerer = (question: SshQuestion, address: string, signal: AbortSignal) => Promise<string | undefined>;

const mostSessions = 100;
const longestQuestion = 64 * 1024;

interface Session {
  address: string;
  signal: AbortSignal;
}

/**
 * Brings what `ssh` asks to whoever can answer it. `ssh` starts a helper for each question; the helper asks here, over a
 * socket in a folder that only this user may enter, and says for which operation it is by a secret that its environment has.
 */
export class AskpassServer implements Disposable {
  private readonly folder = mkdtempSync(join(tmpdir(), 'deltascope-ask-'));
  private readonly pipe = join(this.folder, 'socket');
  private readonly helper = join(this.folder, 'ask.sh');
  private readonly sessions = new Map<string, Session>();
  private readonly server: Server;
  private readonly listening: Promise<void>;

  /** @param helperScript path of the bundled `askpass.js` */
  constructor(
    private readonly helperScript: string,
    private readonly answer: Answerer,
  ) {
    writeFileSync(this.helper, '#!/bin/sh\nexec "$DELTASCOPE_ASK_NODE" "$DELTASCOPE_ASK_SCRIPT" "$@"\n');
    chmodSync(this.helper, 0o700);
    this.server = createServer((socket) => void this.serve(socket));
    this.listening = new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(this.pipe, resolve);
    });
    this.server.unref();
  }

  /** What `ssh` has to find in its environment for its questions to come here. */
  async environment(address: string, signal: AbortSignal): Promise<NodeJS.ProcessEnv> {
    await this.listening;
    const secret = randomBytes(16).toString('hex');
    this.sessions.set(secret, { address, signal });
    for (const oldest of this.sessions.keys()) {
      if (this.sessions.size <= mostSessions) break;
      this.sessions.delete(oldest);
    }
    return {
      SSH_ASKPASS: this.helper,
      SSH_ASKPASS_REQUIRE: 'force',
      // Programs of before 2020 ask that way only where there is a display, whatever it is.
      DISPLAY: process.env.DISPLAY ?? ':0',
      DELTASCOPE_ASK_NODE: process.execPath,
      DELTASCOPE_ASK_SCRIPT: this.helperScript,
      DELTASCOPE_ASK_SOCKET: this.pipe,
      DELTASCOPE_ASK_SECRET: secret,
      ELECTRON_RUN_AS_NODE: '1',
    };
  }

  [Symbol.dispose](): void {
    this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async serve(socket: Socket): Promise<void> {
    const gone = new AbortController();
    socket.on('close', () => gone.abort());
    socket.on('error', () => gone.abort());
    try {
      const { secret, ...question } = await readQuestion(socket);
      // Nothing more is said, but only whoever reads sees the end.
      socket.resume();
      const session = this.sessions.get(secret);
      if (session === undefined) return;
      const signal = AbortSignal.any([session.signal, gone.signal]);
      const answer = signal.aborted ? undefined : await this.answer(question, session.address, signal);
      socket.write(JSON.stringify({ answer }));
    } catch {
      // Whoever does not ask as our helper does gets no answer.
    } finally {
      socket.end();
    }
  }
}

/** Reads to the end of the line: the helper waits on the same connection. */
async function readQuestion(socket: Socket): Promise<SshQuestion & { secret: string }> {
  let text = '';
  for await (const bytes of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    text += bytes.toString();
    if (text.includes('\n') || text.length > longestQuestion) break;
  }
  const asked: unknown = JSON.parse(text.slice(0, text.indexOf('\n')));
  if (typeof asked !== 'object' || asked === null || !('text' in asked) || !('secret' in asked)) {
    throw new TypeError('This is no question.');
  }
  const hint = 'hint' in asked && typeof asked.hint === 'string' ? asked.hint : undefined;
  return { text: String(asked.text), secret: String(asked.secret), hint };
}
