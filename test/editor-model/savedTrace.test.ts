import assert from 'node:assert/strict';
import { parseTrace, traceText } from '../../src/editor/reports/savedTrace';
import { EngineError } from '../../src/engine/io/errors';
import type { TransferSnapshot } from '../../src/protocol/transferReport';

const snapshot: TransferSnapshot = {
  id: 3,
  title: 'Cloning sample',
  source: 'https://example.org/sample',
  destination: '/home/sample',
  isServed: false,
  state: 'failed',
  words: 'Failed after 2 s.',
  failure: 'The server broke off.',
  warnings: ['one'],
  seconds: 2,
  phases: [{ label: 'Transfer', begun: 0, ended: undefined, words: '10 bytes' }],
  terms: { words: 'zstd', reason: 'the best of both' },
  figures: [{ label: 'Came in', value: '10 bytes', description: 'Bytes' }],
  history: { seconds: [0, 1], bytes: [0, 10], kinds: { blob: [0, 1] } },
  streamedObjects: 1,
  streamed: [{ name: 'abc', kind: 'blob', size: 10, reason: 'large' }],
};
const isRefused = (error: unknown) => error instanceof EngineError && error.kind === 'corrupt';
const read = (text: string) => parseTrace(text, 'a.trace.json');

describe('the saved trace of a transfer', () => {
  it('is read as it was, with nothing to be done about it', () => {
    const plain = JSON.parse(JSON.stringify(snapshot)) as TransferSnapshot;
    assert.deepEqual(read(traceText(snapshot)), { ...plain, isSaved: true });
  });

  it('keeps no password', () => {
    const text = traceText({
      ...snapshot,
      source: 'https://ada:S3cr3t@example.org/r',
      failure: 'at http://x:S3cr3t@y/',
    });
    assert.ok(!text.includes('S3cr3t'));
  });

  it('is refused when it is cut anywhere', () => {
    const text = traceText(snapshot).trimEnd();
    for (let length = 0; length < text.length; length++) assert.throws(() => read(text.slice(0, length)), isRefused);
  });

  it('is read or refused whatever bit is wrong, and never thrown out otherwise', () => {
    const bytes = Buffer.from(traceText(snapshot));
    for (let at = 0; at < bytes.length; at++) {
      for (const bit of [1, 2, 16]) {
        const damaged = Buffer.from(bytes);
        damaged[at] ^= bit;
        try {
          read(damaged.toString('utf8'));
        } catch (error) {
          assert.ok(isRefused(error), String(error));
        }
      }
    }
  });

  it('is refused when its columns lie about their length, or something is of another type', () => {
    const { history } = snapshot;
    for (const wrong of [
      { history: { ...history, bytes: [0] } },
      { history: { ...history, kinds: { blob: [1] } } },
      { history: { ...history, seconds: ['0', '1'] } },
      { phases: [{}] },
      { phases: { length: 1 } },
      { figures: null },
      { state: 'flying' },
      { seconds: null },
      { title: 1 },
    ]) {
      const text = JSON.stringify({ format: 'deltascope-trace', version: 1, snapshot: { ...snapshot, ...wrong } });
      assert.throws(() => read(text), isRefused, text);
    }
    for (const text of ['[]', 'null', '{}', '{"format":"deltascope-trace","version":2}']) {
      assert.throws(() => read(text), isRefused);
    }
  });
});
