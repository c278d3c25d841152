import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer, type TlsOptions } from 'node:tls';
import type { Engine } from '../../../src/engine/engine';
import { userWireSettings } from '../../../src/engine/exchange/userWireSettings';
import { EngineError } from '../../../src/engine/io/errors';
import { unattended } from '../../../src/engine/io/operation';
import { defaultWireSettings } from '../../../src/engine/wire/wireSettings';
import { authority, expired, trusted } from '../../fixtures/certificates';
import { builtEngine } from '../../fixtures/engine';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { HgServer, runHg } from '../../fixtures/hg';
import { hg } from '../../fixtures/hgCommand';
import { standInForSsh } from '../../fixtures/standInForSsh';

/** A server that speaks TLS to the outside, and hands what it hears to one on another port. */
async function secureFront(port: number, options: TlsOptions) {
  let heard = 0;
  const sockets = new Set<Socket>();
  const server = createServer(options, (socket) => {
    const inner = connect(port, '127.0.0.1');
    sockets.add(socket).add(inner);
    socket.on('data', (bytes: Buffer) => (heard += bytes.length));
    for (const end of [socket, inner]) end.on('error', () => end.destroy());
    socket.pipe(inner).pipe(socket);
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `localhost:${(server.address() as AddressInfo).port}`,
    heard: () => heard,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe("the security that the user's own settings want", function () {
  this.timeout(60_000);
  const folder = temporaryFolder('security');
  const hgrcPath = process.env.HGRCPATH;
  const hgrc = join(folder.path, 'hgrc');
  const file = (name: string, text: string) => {
    writeFileSync(join(folder.path, name), text);
    return join(folder.path, name);
  };
  let engine: Engine;
  let source: string;
  let empty: string;
  let server: HgServer;
  before(async () => {
    process.env.HGRCPATH = hgrc;
    engine = builtEngine();
    source = join(folder.path, 'source');
    empty = join(folder.path, 'empty');
    for (const root of [source, empty]) hg(folder.path, ['init', root]);
    file('source/file', 'text\n');
    hg(source, ['commit', '-qAm', 'one', '-u', 'somebody']);
    server = await HgServer.start(source);
  });
  after(async () => {
    if (hgrcPath === undefined) delete process.env.HGRCPATH;
    else process.env.HGRCPATH = hgrcPath;
    await server.stop();
    await engine.dispose();
    folder[Symbol.dispose]();
  });

  /** Asks with these settings; undefined when there was an answer. */
  const asked = async (settings: string, address: string): Promise<EngineError | undefined> => {
    writeFileSync(hgrc, settings);
    try {
      const wire = userWireSettings(defaultWireSettings);
      const { changesets } = await engine.incoming({ root: empty, source: address, settings: wire }, unattended);
      assert.equal(changesets.length, 1);
      return undefined;
    } catch (error) {
      assert.ok(error instanceof EngineError, String(error));
      return error;
    }
  };
  /** Asks, and looks whether hg is answered or refused with the same settings. */
  const judged = async (settings: string, address: string): Promise<EngineError | undefined> => {
    const error = await asked(settings, address);
    const { code, stderr } = await runHg(['identify', address], { env: { HGRCPATH: hgrc } });
    assert.equal(code === 0, error === undefined, `${settings}\nours: ${error?.message}\nhg: ${stderr}`);
    return error;
  };

  it('holds for single hosts: certificates to trust, and fingerprints, which come before them', async () => {
    const [good, other] = [new X509Certificate(trusted.cert), new X509Certificate(expired.cert)];
    const authorities = file('authority.pem', authority);
    const of = (setting: string) => `[hostsecurity]\nlocalhost:${setting}\n`;
    await using front = await secureFront(server.port, trusted);
    await using old = await secureFront(server.port, expired);
    const cases: [string, { host: string }, RegExp?][] = [
      ['', front, /cannot be verified/],
      [of(`verifycertsfile = ${authorities}`), front],
      [of(`verifycertsfile = ${authorities}`), old, /has expired/],
      [
        `[web]\ncacerts = ${authorities}\n${of(`verifycertsfile = ${file('none.pem', expired.cert)}`)}`,
        front,
        /verified/,
      ],
      [of(`fingerprints = sha256:${good.fingerprint256}`), front],
      [of(`fingerprints = sha512:${good.fingerprint512.replaceAll(':', '').toLowerCase()}`), front],
      [of(`fingerprints = sha1:${good.fingerprint}, sha256:${other.fingerprint256}`), old],
      [of(`fingerprints = sha256:${good.fingerprint256}`), old, /none of the fingerprints/],
      [of(`fingerprints = sha256:${good.fingerprint256}\nlocalhost:verifycertsfile = /nowhere.pem`), front],
      [`[hostfingerprints]\nlocalhost = ${good.fingerprint}\n`, front],
      [of(`fingerprints = md5:${'0'.repeat(32)}`), front, /is no fingerprint/],
      [of('minimumprotocol = tls9'), front, /is no version of TLS/],
      [of(`verifycertsfile = ${authorities}\nminimumprotocol = tls1.2`), front],
      [of('verifycertsfile = /nowhere.pem'), front, /verifycertsfile cannot be read/],
    ];
    for (const [settings, { host }, refusal] of cases) {
      const error = await judged(settings, `https://${host}/`);
      if (refusal === undefined) assert.equal(error, undefined, settings);
      else assert.match(error?.message ?? '', refusal, settings);
    }
  });

  it('sends nothing to a server whose certificate has another fingerprint', async () => {
    await using front = await secureFront(server.port, trusted);
    const { fingerprint256 } = new X509Certificate(expired.cert);
    const error = await asked(
      `[hostsecurity]\nlocalhost:fingerprints = sha256:${fingerprint256}\n`,
      `https://${front.host}/`,
    );
    assert.equal(error?.kind, 'network');
    assert.equal(front.heard(), 0);
  });

  it('names the ciphers', async () => {
    const [one, other] = ['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-GCM-SHA384'];
    await using front = await secureFront(server.port, { ...trusted, ciphers: one, maxVersion: 'TLSv1.2' });
    const with_ = (ciphers: string) =>
      `[web]\ncacerts = ${file('authority.pem', authority)}\n[hostsecurity]\nciphers = ${ciphers}\n`;
    assert.equal(await judged(with_(one), `https://${front.host}/`), undefined);
    assert.equal((await judged(with_(other), `https://${front.host}/`))?.kind, 'network');
  });

  it('shows the certificate of [auth] to whom it is meant for', async () => {
    const options = { ...trusted, requestCert: true, rejectUnauthorized: true, ca: authority };
    await using front = await secureFront(server.port, options);
    const with_ = (prefix: string) =>
      [
        ...['[web]', `cacerts = ${file('authority.pem', authority)}`, '[auth]', `a.prefix = ${prefix}`],
        ...[`a.cert = ${file('cert.pem', trusted.cert)}`, `a.key = ${file('key.pem', trusted.key)}`, ''],
      ].join('\n');
    assert.equal(await judged(with_(front.host), `https://${front.host}/`), undefined);
    assert.equal((await judged(with_('example.org'), `https://${front.host}/`))?.kind, 'network');
  });

  it('names the program for SSH, and the one on the other side', async () => {
    const place = join(folder.path, 'with space');
    mkdirSync(place);
    const program = standInForSsh(place);
    renameSync(program, `${program}-mine`);
    const there = file('hg there', '#!/bin/sh\nexec hg "$@"\n');
    chmodSync(there, 0o755);
    const settings = `[ui]\nssh = "${program}-mine" -C\nremotecmd = ${there}\n`;
    assert.equal(await judged(settings, `ssh://localhost/${source}`), undefined);
    assert.equal((await judged(settings.replace(there, '/nowhere'), `ssh://localhost/${source}`))?.kind, 'network');
  });
});
