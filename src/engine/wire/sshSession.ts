import * as l10n from '@vscode/l10n';
import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { ByteReader } from '../io/byteReader';
import { EngineError, networkError, protocolError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import { printable } from '../io/printable';
import type { WireArguments } from './encodeArguments';

const longestLine = 1 << 20;
const mostGreetingLines = 500;
const mostWords = 4096;
const lastWordsMilliseconds = 1000;
const nullPair = `${'0'.repeat(40)}-${'0'.repeat(40)}`;
const newline = 0x0a;

/**
 * A talk with `hg serve --stdio` at the other end of a program, which is the user's own `ssh` with its agent, its settings
 * and its known hosts. A command is its name on a line, then for each argument its name, its length and its bytes; a short
 * answer is its length on a line and its bytes.
 *
 * @see `hg help internals.wireprotocol`
 */
export class SshSession {
  private readonly child: ChildProcess;
  private readonly input: Writable;
  private readonly reader: ByteReader;
  private readonly closed: Promise<void>;
  private words = '';
  private ended: string | undefined;

  constructor(
    program: readonly string[],
    private readonly address: string,
    environment: NodeJS.ProcessEnv = {},
  ) {
    const env = { ...process.env, ...environment };
    this.child = spawn(program[0], program.slice(1), { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true, env });
    const { stdin, stdout, stderr } = this.child;
    if (stdin === null || stdout === null || stderr === null)
      throw networkError(l10n.t('The program ssh has no pipes.'));
    this.input = stdin;
    stdin.on('error', () => undefined);
    stderr.on('data', (bytes: Buffer) => (this.words = (this.words + bytes.toString()).slice(-mostWords)));
    this.child.on('error', (error) => (this.ended = error.message));
    this.closed = new Promise((resolve) => this.child.once('close', () => resolve()));
    this.reader = new ByteReader(piecesOf(stdout), l10n.t('answer by SSH'), 'network');
  }

  /** Opens the talk, past whatever the other side's login prints, and gives the capabilities. */
  async greet(operation: Operation): Promise<string> {
    return this.attempt(operation, async () => {
      this.input.write(`hello\nbetween\npairs ${nullPair.length}\n${nullPair}`);
      let capabilities: string | undefined;
      let before = '';
      for (let count = 0; count < mostGreetingLines; count++) {
        const line = await this.line();
        if (line.startsWith('capabilities:')) capabilities = line.slice('capabilities:'.length).trim();
        // The answer to `between`: one byte, which is a line end.
        else if (before === '1' && line === '' && capabilities !== undefined) return capabilities;
        before = line;
      }
      throw this.failed(l10n.t('does not speak as a Mercurial server does'));
    });
  }

  /** Sends a command and gives its short answer, as Latin-1. */
  async ask(command: string, args: WireArguments, operation: Operation, limit: number): Promise<string> {
    return this.attempt(operation, async () => {
      this.input.write(encodeCommand(command, args));
      const line = await this.line();
      const length = Number(line);
      if (!/^\d+$/.test(line)) throw this.failed(l10n.t('did not answer {0}', command));
      if (length > limit)
        throw protocolError(l10n.t('The answer to {0} is longer than {1} bytes.', command, limit), {
          subject: command,
        });
      return Buffer.from(await this.reader.read(length)).toString('latin1');
    });
  }

  /**
   * Sends a command whose answer is a stream, and says that it is the last one: the answer then ends with the connection.
   */
  stream(command: string, args: WireArguments, operation: Operation): AsyncIterable<Uint8Array> {
    this.input.end(encodeCommand(command, args));
    return this.pieces(operation);
  }

  /** Ends the program, and what it started: nobody reads any more what that writes. */
  close(): void {
    this.input.destroy();
    this.child.kill();
    this.child.stdout?.destroy();
    this.child.stderr?.destroy();
  }

  private async *pieces(operation: Operation): AsyncGenerator<Uint8Array> {
    try {
      const begun = this.reader.offset;
      for (;;) {
        const bytes = await this.attempt(operation, () => this.reader.readSome(1 << 20));
        if (bytes.length === 0 && this.reader.offset === begun) throw this.failed(l10n.t('sent nothing'));
        if (bytes.length === 0) return;
        yield bytes;
      }
    } finally {
      this.close();
    }
  }

  /** Waits for something of the other side, unless the operation is stopped. */
  private async attempt<T>(operation: Operation, ask: () => Promise<T>): Promise<T> {
    const stop = () => this.close();
    throwIfCancelled(operation);
    operation.signal.addEventListener('abort', stop, { once: true });
    try {
      return await ask();
    } catch (error) {
      throwIfCancelled(operation);
      // What says already who failed how is not said again as the end of a connection that may still be open.
      if (error instanceof EngineError && (error.kind !== 'network' || error.subject === this.address)) throw error;
      // What was said about it may come after the end.
      await Promise.race([this.closed, wait(lastWordsMilliseconds, undefined, { ref: false })]);
      throw this.failed(l10n.t('ended the connection'));
    } finally {
      operation.signal.removeEventListener('abort', stop);
    }
  }

  private async line(): Promise<string> {
    return Buffer.from(await this.reader.readUntil(newline, longestLine)).toString('latin1');
  }

  /** With what the other side, or ssh itself, said about it. */
  private failed(how: string): EngineError {
    const lines = this.words.split('\n').filter((line) => line.trim() !== '');
    const said = this.ended ?? lines.at(-1) ?? l10n.t('no reason was given');
    return networkError(`${this.address} ${how}: ${printable(said).replace(/\.$/, '')}.`, {
      subject: this.address,
      advice: l10n.t('Check that "ssh" reaches the host without a question, and that hg is installed there.'),
    });
  }
}

/** `batch` and `known` take further arguments by name, and `getbundle` takes nothing else: how many, then each. */
function encodeCommand(command: string, args: WireArguments): string {
  const names = Object.keys(args);
  const fixed = command === 'known' ? ['nodes'] : command === 'batch' ? ['cmds'] : names;
  const pair = (name: string) => `${name} ${Buffer.byteLength(args[name], 'latin1')}\n${args[name]}`;
  if (command === 'getbundle') return `${command}\n* ${names.length}\n${names.map(pair).join('')}`;
  const rest = command === 'known' || command === 'batch' ? '* 0\n' : '';
  return `${command}\n${fixed.map(pair).join('')}${rest}`;
}

async function* piecesOf(stream: Readable): AsyncGenerator<Uint8Array> {
  for await (const bytes of stream) yield bytes as Buffer;
}
