import assert from 'node:assert/strict';
import type { LogOutputChannel } from 'vscode';
import { diagnosticsText } from '../../src/editor/diagnostics/diagnosticsText';
import { RecentLines } from '../../src/editor/diagnostics/recentLines';
import { withoutSecrets } from '../../src/editor/diagnostics/withoutSecrets';
import { Transfer } from '../../src/editor/transfers/transfer';

const secret = 'S3cr3t';

describe('texts without secrets', () => {
  const hostile = [
    `https://ada:${secret}@example.org/r`,
    `https://ada:${secret}/more@example.org/r`,
    `https://ada:${secret}?x=1#y@example.org/r`,
    `https://ada:@${secret}@example.org/r`,
    `https://ada:1234/${secret}@example.org/r`,
    `https://ada:a b ${secret}@example.org/r`,
    `https://ada:"${secret}"@example.org/r`,
    `https://ada:https:${secret}@example.org/r`,
    `HTTPS://ada:${secret}@example.org/r`,
    `https:\\\\ada:${secret}@example.org\\r`,
    `https://${secret}@example.org/r`,
    `ssh://hg:${secret}@example.org/r`,
    `svn+ssh://hg:${secret}@[::1]:22/r`,
    `ada:${secret}@example.org:repositories/r`,
    `https://example.org/r?access_token=${secret}`,
    `https://example.org/r?a=1&X-Amz-Signature=${secret}&b=2`,
    `https://example.org/r?pass%77ord=${secret}`,
    `https://example.org/r?%zz=1&api_key=${secret}`,
    `https://example.org/r#id_token=${secret}`,
    `Authorization: Basic ${secret}`,
    `{"authorization": "Bearer ${secret}"}`,
    `Set-Cookie: session=${secret}; Path=/`,
    `cannot clone https://ada:${secret}@example.org/r: see https://eve:${secret}@example.net/`,
    `https://ada:${secret}\u2028@example.org/r`,
  ];
  for (const text of hostile) {
    it(`hides what ${JSON.stringify(text)} gives away`, () => {
      const cleaned = withoutSecrets(`before ${text} after\nnext line`);
      assert.ok(!cleaned.includes(secret), cleaned);
      assert.ok(cleaned.startsWith('before '));
      assert.ok(cleaned.endsWith('\nnext line'));
    });
  }

  it('leaves alone what gives nothing away', () => {
    for (const text of [
      'https://example.org:8000/hg/repository/?style=raw',
      'Cloning sample: transfer 12 MB, 30 files in 0.2 s',
      'node c17445101a72edac06facd130d14808dfbd5c7c2',
      '2026-01-02T03:04:05.678Z [info] done',
    ]) {
      assert.equal(withoutSecrets(text), text);
    }
    assert.equal(withoutSecrets(`ssh://hg:${secret}@example.org/r`), 'ssh://…@example.org/r');
  });
});

describe('diagnostics', () => {
  const diagnosed = (): string => {
    let now = 0;
    const actions = { cancel: () => undefined, retry: () => undefined };
    const source = `https://ada:${secret}@example.org/sample`;
    const transfer = new Transfer(1, 'Cloning sample', source, '/home/ada/sample', actions, () => now);
    transfer.note({ type: 'phase', phase: 'transfer', state: 'running', done: 10, total: 100, unit: 'bytes' });
    now = 2500;
    transfer.finish('failed', `The server at ${source} broke off.`);
    return diagnosticsText({
      versions: { Deltascope: '1.2.3' },
      settings: { 'http.proxy': `http://ada:${secret}@proxy:3128` },
      transfers: [transfer],
      lines: [`GET ${source}`],
      home: '/home/ada',
    });
  };

  it('tell versions, settings, transfers and the log', () => {
    const text = diagnosed();
    for (const expected of [
      'Deltascope: 1.2.3',
      'http.proxy: http://…@proxy:3128',
      'Cloning sample: failed after 2.5 s',
      'transfer: 10 of 100 bytes, unfinished',
      'failure: The server at https://…@example.org/sample broke off.',
      'GET https://…@example.org/sample',
    ]) {
      assert.ok(text.includes(expected), text);
    }
  });

  it('do not tell who it is', () => {
    const text = diagnosed();
    assert.ok(!text.includes(secret), text);
    assert.ok(!text.includes('ada'), text);
    assert.ok(text.includes('to ~/sample'), text);
  });
});

describe('the last lines of a log', () => {
  it('are kept whatever the level, and written as before', () => {
    const written: unknown[][] = [];
    const write = (...args: unknown[]) => void written.push(args);
    const channel = { name: 'log', trace: write, debug: write, info: write, warn: write, error: write };
    const lines = new RecentLines();
    const log = lines.of(channel as unknown as LogOutputChannel);
    log.trace('small');
    log.error(new Error('large'));
    assert.equal(log.name, 'log');
    assert.deepEqual(written.at(0), ['small']);
    assert.match(lines.all[0], /\[trace\] small$/);
    assert.match(lines.all[1], /\[error\] Error: large/);
    for (let count = 0; count < 1000; count++) log.info(String(count));
    assert.equal(lines.all.length, 300);
    assert.match(lines.all[299], /999$/);
  });
});
