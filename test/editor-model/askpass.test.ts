import assert from 'node:assert/strict';
import { execFile, type ChildProcess } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { AskpassServer, type Answerer } from '../../src/editor/ssh/askpassServer';
import { kindOf } from '../../src/editor/ssh/sshQuestion';
import { SshSession } from '../../src/engine/wire/sshSession';
import { unattended } from '../../src/engine/io/operation';
import { temporaryDirectory } from '../fixtures/hg';

const run = promisify(execFile);
const helper = join(import.meta.dirname, '..', '..', 'dist', 'askpass.js');

describe('questions of ssh', () => {
  const signal = new AbortController().signal;
  const serve = (answer: Answerer) => new AskpassServer(helper, answer);
  /** What ssh does with a question: it starts the program that its environment names. */
  const askAs = async (env: NodeJS.ProcessEnv, question: string) => {
    const { stdout } = await run(env.SSH_ASKPASS ?? '', [question], { env: { ...process.env, ...env } });
    return stdout;
  };

  it('reach whoever can answer, with the address that they are for', async () => {
    const asked: unknown[] = [];
    using server = serve((question, address) => {
      asked.push([question, address]);
      return Promise.resolve('geheim "ü" $x');
    });
    const env = await server.environment('ssh://me@example.org/r', signal);
    const question = `Enter passphrase for key '/home/me/.ssh/"id"; $(rm)': `;
    assert.equal(await askAs(env, question), 'geheim "ü" $x\n');
    const hinted = { ...env, SSH_ASKPASS_PROMPT: 'confirm' };
    await askAs(hinted, 'Allow?');
    assert.deepEqual(asked, [
      [{ text: question, hint: undefined }, 'ssh://me@example.org/r'],
      [{ text: 'Allow?', hint: 'confirm' }, 'ssh://me@example.org/r'],
    ]);
  });

  it('are asked through a folder that is private, and that goes', async () => {
    const server = serve(() => Promise.resolve('x'));
    const { DELTASCOPE_ASK_SOCKET: socket = '' } = await server.environment('a', signal);
    assert.equal(statSync(dirname(socket)).mode & 0o077, 0);
    server[Symbol.dispose]();
    assert.equal(existsSync(dirname(socket)), false);
  });

  it('fail where nobody answers, where the operation is over, and for whoever does not know the secret', async () => {
    let asked = 0;
    using server = serve(() => {
      asked++;
      return Promise.resolve(undefined);
    });
    const over = new AbortController();
    const env = await server.environment('a', over.signal);
    await assert.rejects(askAs(env, 'Password:'), { code: 1 });
    await assert.rejects(askAs({ ...env, DELTASCOPE_ASK_SECRET: '0'.repeat(32) }, 'Password:'), { code: 1 });
    over.abort();
    await assert.rejects(askAs(env, 'Password:'), { code: 1 });
    assert.equal(asked, 1);
  });

  it('end when the program that asked is gone', async () => {
    const stopped = new Promise<void>((ended) => {
      let child: ChildProcess | undefined;
      const server = serve((_question, _address, stop) => {
        stop.addEventListener('abort', () => {
          server[Symbol.dispose]();
          ended();
        });
        child?.kill('SIGKILL');
        return new Promise(() => undefined);
      });
      void server.environment('a', signal).then((env) => {
        child = execFile(env.SSH_ASKPASS ?? '', ['Touch your key'], { env: { ...process.env, ...env } });
      });
    });
    await stopped;
  });

  it('come from the program that carries a pull', async () => {
    await using folder = await temporaryDirectory('askpass');
    const ssh = join(folder.path, 'ssh');
    writeFileSync(
      ssh,
      `#!/bin/sh\nanswer=$("$SSH_ASKPASS" "me@example.org's password: ") || exit 255\n[ "$answer" = right ] || { echo "Permission denied" >&2; exit 255; }\nprintf 'capabilities: known\\n1\\n\\n'\n`,
      { mode: 0o700 },
    );
    for (const [answer, outcome] of [
      ['right', /^known$/],
      ['wrong', /Permission denied/],
    ] as const) {
      using server = serve(() => Promise.resolve(answer));
      const session = new SshSession([ssh], 'ssh://me@example.org/r', await server.environment('a', signal));
      const said = await session.greet(unattended).catch((error: unknown) => String(error));
      session.close();
      assert.match(said, outcome);
    }
  });

  it('are told apart', () => {
    const host =
      "The authenticity of host 'h (::1)' can't be established.\nAre you sure you want to continue connecting (yes/no/[fingerprint])? ";
    assert.equal(kindOf({ text: host }), 'host');
    assert.equal(kindOf({ text: "Please type 'yes', 'no' or the fingerprint: " }), 'host');
    assert.equal(kindOf({ text: "Enter passphrase for key '/k': " }), 'secret');
    assert.equal(kindOf({ text: 'Verification code: ' }), 'secret');
    assert.equal(kindOf({ text: 'Allow use of key k?', hint: 'confirm' }), 'confirm');
    assert.equal(kindOf({ text: 'Confirm user presence for key', hint: 'none' }), 'notice');
  });
});
