import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../../src/engine/engine';
import { expandScheme } from '../../../src/engine/exchange/expandScheme';
import { namedPaths } from '../../../src/engine/exchange/namedPaths';
import { userWireSettings } from '../../../src/engine/exchange/userWireSettings';
import { EngineError } from '../../../src/engine/io/errors';
import { unattended } from '../../../src/engine/io/operation';
import { parseHgrc } from '../../../src/engine/store/hgrc';
import { hgrcCredentials } from '../../../src/engine/wire/hgrcCredentials';
import { defaultWireSettings } from '../../../src/engine/wire/wireSettings';
import { builtEngine } from '../../fixtures/engine';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { runHg } from '../../fixtures/hg';
import { hg, hgText } from '../../fixtures/hgCommand';
import { repository } from '../../fixtures/repositories';

describe("the user's own settings", function () {
  this.timeout(60_000);
  const folder = temporaryFolder('settings');
  const hgrcPath = process.env.HGRCPATH;
  const hgrc = join(folder.path, 'user', 'hgrc');
  const write = (text: string) => writeFileSync(hgrc, text);
  let engine: Engine;
  let count = 0;
  before(() => {
    mkdirSync(join(folder.path, 'user'));
    process.env.HGRCPATH = hgrc;
    engine = builtEngine();
  });
  afterEach(() => write(''));
  after(async () => {
    if (hgrcPath === undefined) delete process.env.HGRCPATH;
    else process.env.HGRCPATH = hgrcPath;
    await engine.dispose();
    folder[Symbol.dispose]();
  });
  const judged = async (args: readonly string[]) => {
    const { code, stdout, stderr } = await runHg(args, { env: { HGRCPATH: hgrc } });
    assert.equal(code, 0, stderr);
    return stdout.toString().trimEnd();
  };
  const newRepository = () => {
    const root = join(folder.path, `repository${count++}`);
    hg(folder.path, ['init', root]);
    return root;
  };

  it('name paths, as hg lists them', async () => {
    const root = newRepository();
    write('[paths]\nhome = ~/there\nboth = /of/the/user\nfar = https://example.org/far\n');
    writeFileSync(join(root, '.hg', 'hgrc'), '[paths]\nboth = own\n');
    const listed = await judged(['-R', root, 'paths']);
    const ours = namedPaths(root).map(({ name, address }) => `${name} = ${address}`);
    assert.deepEqual(ours.sort(), listed.split('\n').sort());
  });

  it('name the path that is pulled from', async () => {
    const root = newRepository();
    write(`[paths]\ndefault = ${repository('branches')}\n`);
    const { changesets } = await engine.pull({ root, settings: defaultWireSettings }, unattended);
    assert.equal(changesets.length, Number(hgText(repository('branches'), ['id', '-n', '-r', 'tip'])) + 1);
  });

  it('give short names to places, as the extension schemes does', async () => {
    const lines = ['py = https://code.example/hg/', 'two = ssh://{2}.example/{1}/x/', 'plain = https://plain.example'];
    write(`[extensions]\nschemes =\n[schemes]\n${lines.join('\n')}\n`);
    const settings = parseHgrc(`[extensions]\nschemes =\n[schemes]\n${lines.join('\n')}\n`);
    const addresses = [
      'py://trunk/',
      'py://a/b/c',
      'two://one/two/three/four',
      'two://one/two',
      'plain://x',
      'bb://me/it',
    ];
    for (const address of [
      ...addresses,
      'kiln://me/a/b',
      'gcode://project',
      'bb+ssh://me/it',
      'https://example.org/x',
    ]) {
      assert.equal(expandScheme(address, settings), await judged(['debugexpandscheme', address]), address);
    }
    assert.equal(expandScheme('py://trunk', parseHgrc('[extensions]\nschemes = !\n')), 'py://trunk');
    assert.equal(expandScheme('py://trunk', new Map()), 'py://trunk');
  });

  it('are followed by a clone from a short name', async () => {
    const server = await engine.serve(
      { repositories: [{ root: repository('branches'), name: 'one/two' }] },
      unattended,
    );
    try {
      write(`[extensions]\nschemes =\n[schemes]\nhere = ${server.address}{1}/\n`);
      const destination = join(folder.path, 'from-short');
      const request = { destination, update: { kind: 'none' }, settings: defaultWireSettings } as const;
      const { source } = await engine.cloneByPull({ ...request, source: 'here://one/two' }, unattended);
      assert.equal(source, `${server.address}one/two`);
    } finally {
      await server.close();
    }
  });

  it('know who signs in where, as hg does', async () => {
    const access = { kind: 'basic', username: 'me', password: 'secret' } as const;
    const repositories = [{ root: repository('branches'), name: 'deep/down' }];
    const server = await engine.serve({ repositories, access }, unattended);
    try {
      const place = new URL(server.address).host;
      const mine = 'a.username = me\na.password = secret';
      const cases = [
        `a.prefix = *\na.schemes = http https\n${mine}`,
        `a.prefix = ${place}\na.schemes = http\n${mine}`,
        `a.prefix = http://${place}/deep\n${mine}`,
        `a.prefix = ${place}/deep/down\na.schemes = http\n${mine}\nb.prefix = ${place}\nb.schemes = http\nb.username = x\nb.password = y`,
        `a.prefix = ${place}\n${mine}`,
        `a.prefix = https://${place}\n${mine}`,
        `a.prefix = other.example\na.schemes = http\n${mine}`,
        `a.prefix = ${place}\na.schemes = http\na.username = me\na.password = wrong`,
        `a.prefix = ${place}\na.schemes = http\n${mine}\nb.prefix = ${place}/deep\nb.schemes = http\nb.username = x\nb.password = y`,
      ];
      const outcomes: boolean[] = [];
      for (const lines of cases) {
        write(`[auth]\n${lines}\n`);
        const source = `${server.address}deep/down`;
        const { code } = await runHg(['--config', 'ui.interactive=no', 'identify', source], {
          env: { HGRCPATH: hgrc },
        });
        const settings = userWireSettings(defaultWireSettings);
        const asked = engine.incoming({ root: newRepository(), source, settings }, unattended);
        const isIn = await asked.then(
          () => true,
          (error: unknown) => !(error instanceof EngineError && error.kind === 'authentication'),
        );
        assert.equal(isIn, code === 0, lines);
        outcomes.push(isIn);
      }
      assert.deepEqual(outcomes, [true, true, true, true, false, false, false, false, false]);
    } finally {
      await server.close();
    }
  });

  it('do not sign in where a prefix only looks alike, nor again where that was refused', async () => {
    const settings = parseHgrc('[auth]\na.prefix = example.org\na.username = me\na.password = secret\n');
    const person = { username: 'person', password: 'typed' };
    const provide = hgrcCredentials(settings, () => Promise.resolve(person));
    const challenge = { address: 'https://example.org/x', realm: '', attempt: 1 };
    assert.deepEqual(await provide(challenge), { username: 'me', password: 'secret' });
    assert.deepEqual(await provide({ ...challenge, attempt: 2 }), person);
    assert.deepEqual(await provide({ ...challenge, username: 'another' }), person);
    assert.deepEqual(await provide({ ...challenge, address: 'https://example.organic/x' }), person);
    assert.deepEqual(await provide({ ...challenge, address: 'http://example.org/x' }), person);
  });

  it('name the certificates to trust', () => {
    writeFileSync(join(folder.path, 'user', 'authorities.pem'), 'certificates\n');
    process.env.DELTASCOPE_TEST_FOLDER = folder.path;
    write('[web]\ncacerts = $DELTASCOPE_TEST_FOLDER/user/authorities.pem\n');
    assert.equal(userWireSettings(defaultWireSettings).certificateAuthorities, 'certificates\n');
    write('[web]\ncacerts = /nowhere/at/all.pem\n');
    assert.throws(() => userWireSettings(defaultWireSettings), { kind: 'destination', message: /web\.cacerts/ });
    write('');
    assert.equal(userWireSettings(defaultWireSettings).certificateAuthorities, undefined);
  });
});
