import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { unattended } from '../../../src/engine/io/operation';
import { parseChallenges } from '../../../src/engine/wire/challenge';
import type { Challenge, WireSettings } from '../../../src/engine/wire/wireSettings';
import { fails, open, quick } from '../../fixtures/facing';
import { HgServer } from '../../fixtures/hg';
import { repository } from '../../fixtures/repositories';
import { WireProxy, type WireProxyOptions } from '../../fixtures/wireProxy';

const right = { username: 'me', password: 'p:ss wörd' };
const patient: WireSettings = { ...quick, stallTimeout: 20_000, connectTimeout: 20_000 };

/** A real server behind a proxy that lets only those through who sign in. */
async function guarded(
  work: (proxy: WireProxy) => Promise<void>,
  credentials: WireProxyOptions['credentials'] = right,
): Promise<void> {
  await using server = await HgServer.start(repository('branches'));
  await using proxy = await WireProxy.start(server.url, { credentials });
  await work(proxy);
}

/** Gives these answers one after the other, and remembers what was asked. */
function answering(...answers: ({ username: string; password: string } | undefined)[]) {
  const asked: Challenge[] = [];
  const credentials = (challenge: Challenge) => {
    asked.push(challenge);
    return Promise.resolve(answers[Math.min(asked.length, answers.length) - 1]);
  };
  return { asked, settings: { ...patient, credentials } };
}

describe('signing in', () => {
  it('is asked for once, and then done without being asked', () =>
    guarded(async (proxy) => {
      const { asked, settings } = answering(right);
      const peer = await open(proxy.url.replace('//', '//me@'), settings);
      ok((await peer.heads(unattended)).length > 0);
      deepEqual(asked, [{ address: proxy.url, realm: 'test', attempt: 1, username: 'me' }]);
      deepEqual(
        proxy.requests.map(({ headers }) => headers.authorization !== undefined),
        [false, true, true],
      );
      equal(peer.address, proxy.url.replace('//', '//me@'));
    }));

  it('is done with what the address holds, which is never shown', () =>
    guarded(async (proxy) => {
      const address = proxy.url.replace('//', `//me:${encodeURIComponent(right.password)}@`);
      const peer = await open(address, patient);
      ok((await peer.heads(unattended)).length > 0);
      equal(peer.address, proxy.url.replace('//', '//me@'));
    }));

  it('is asked for again when the password was wrong', () =>
    guarded(async (proxy) => {
      const wrong = { username: 'me', password: 'wrong' };
      const { asked, settings } = answering(wrong, wrong, right);
      const peer = await open(proxy.url, settings);
      ok((await peer.heads(unattended)).length > 0);
      deepEqual(
        asked.map(({ attempt }) => attempt),
        [1, 2, 3],
      );
      const stored = answering(right);
      await open(proxy.url.replace('//', '//me:wrong@'), stored.settings);
      deepEqual(
        stored.asked.map(({ attempt }) => attempt),
        [2],
      );
    }));

  it('is given up when nobody answers, or the answer is wrong again and again', () =>
    guarded(async (proxy) => {
      await fails(open(proxy.url, patient), {
        kind: 'authentication',
        message: /wants a user name and password/,
        status: 401,
      });
      await rejects(open(proxy.url, answering(undefined).settings), { kind: 'authentication', realm: 'test' });
      const wrong = answering({ username: 'me', password: 'wrong' });
      await fails(open(proxy.url, wrong.settings), { kind: 'authentication', message: /does not accept/ });
      equal(wrong.asked.length, 5);
      const colon = answering({ username: 'me:too', password: 'x' });
      await fails(open(proxy.url, colon.settings), { kind: 'authentication', message: /colon/ });
    }));

  it('finds the one way that it has among several', () =>
    guarded(
      async (proxy) => {
        const { asked, settings } = answering(right);
        await open(proxy.url, settings);
        equal(asked[0].realm, 'the "real" one, basic');
      },
      {
        ...right,
        challenge: 'Negotiate, Digest realm="no", nonce="basic realm=x", Basic realm="the \\"real\\" one, basic"',
      },
    ));
});

describe('the ways of signing in', () => {
  it('are read from a header as it may come', () => {
    const cases: [string, [string, string][]][] = [
      ['', []],
      ['Basic', [['basic', '']]],
      ['basic realm=plain', [['basic', 'plain']]],
      ['BASIC charset="UTF-8", Realm = "a, b"', [['basic', 'a, b']]],
      [
        'Negotiate, NTLM',
        [
          ['negotiate', ''],
          ['ntlm', ''],
        ],
      ],
      [
        'Bearer realm="x",error="y" , Basic realm="z"',
        [
          ['bearer', 'x'],
          ['basic', 'z'],
        ],
      ],
      ['realm="lost"', []],
      ['Basic realm="unclosed', [['basic', 'unclosed']]],
    ];
    for (const [header, expected] of cases) {
      const found = parseChallenges(header).map(({ name, realm }) => [name, realm]);
      deepEqual(found.slice(0, Math.max(1, expected.length)), expected, header);
    }
  });
});
