import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { casesOf } from '../../fixtures/howMuch';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../../src/engine/engine';
import type { CloneRequest } from '../../../src/engine/exchange/cloneRequest';
import { unattended } from '../../../src/engine/io/operation';
import { defaultWireSettings } from '../../../src/engine/wire/wireSettings';
import { outcomeOf } from '../../fixtures/damage';
import { builtEngine } from '../../fixtures/engine';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { hg, hgText } from '../../fixtures/hgCommand';
import { repository, type RepositoryKind } from '../../fixtures/repositories';
import { assertSound, historyOf, storeFiles } from '../../fixtures/repositoryState';
import { pseudoRandom } from '../../fixtures/sourceHistory';

const settings = defaultWireSettings;

/** How `hg` makes a bundle of a whole repository that is a stream, and how it takes one. */
const streams = {
  'stream v2': { make: ['bundle', '-q', '-a', '-t', 'none-v2;stream=v2'], take: ['unbundle', '-q'] },
  'stream v1': { make: ['debugcreatestreamclonebundle', '-q'], take: ['debugapplystreamclonebundle', '-q'] },
};

describe('a clone of a bundle file', function () {
  this.timeout(60_000);
  const folder = temporaryFolder('clone-bundle');
  let engine: Engine;
  let number = 0;
  const place = () => join(folder.path, `${number++}`);
  before(() => void (engine = builtEngine()));
  after(async () => {
    await engine.dispose();
    folder[Symbol.dispose]();
  });

  const request = (source: string, destination = place(), update: CloneRequest['update'] = { kind: 'default' }) => ({
    source,
    destination,
    update,
    settings,
  });

  function bundleOf(kind: RepositoryKind, make: readonly string[]): string {
    const bundle = place();
    hg(repository(kind), [...make, bundle]);
    return bundle;
  }

  for (const [format, { make, take }] of Object.entries(streams)) {
    for (const kind of casesOf(['branches', 'nastyNames'] as const, ['nastyNames'])) {
      it(`is what hg makes of a ${format} of ${kind}`, async () => {
        const bundle = bundleOf(kind, make);
        const theirs = place();
        hg(folder.path, ['init', theirs]);
        hg(theirs, [...take, bundle]);
        const ours = place();
        const summary = await engine.clone(request(bundle, ours), unattended);
        equal(summary.format, format);
        equal(summary.source, bundle);
        equal(String(summary.revisions), hgText(theirs, ['log', '-r', 'tip', '-T', '{rev + 1}']));
        deepEqual(storeFiles(ours), storeFiles(theirs));
        deepEqual(historyOf(ours), historyOf(theirs));
        equal(hgText(ours, ['paths', 'default']), bundle);
        assertSound(ours);
        // There is no other way to clone it, whatever was wished.
        const pulled = place();
        equal((await engine.cloneByPull(request(bundle, pulled), unattended)).format, format);
        deepEqual(storeFiles(pulled), storeFiles(theirs));
      });
    }
  }

  for (const type of casesOf(['bzip2-v1', 'zstd-v2', 'none-v2;phases=true'], ['zstd-v2'])) {
    it(`is what hg makes of a changegroup: ${type}`, async () => {
      const bundle = bundleOf('branches', ['bundle', '-q', '-a', '-t', type]);
      const theirs = place();
      hg(folder.path, ['init', theirs]);
      hg(theirs, ['unbundle', '-q', bundle]);
      const ours = place();
      const { format } = await engine.clone(request(bundle, ours), unattended);
      match(format, /^changegroup 0[12]$/);
      deepEqual(historyOf(ours), historyOf(theirs));
      assertSound(ours);
      equal((await engine.pull({ root: ours, settings }, unattended)).changesets.length, 0);
    });
  }

  it('is found by file: and bundle: addresses, with a branch after them', async () => {
    const bundle = bundleOf('branches', streams['stream v2'].make);
    for (const source of [`file://${bundle}#stable`, `bundle:${bundle}#stable`, `${bundle}#stable`]) {
      const ours = place();
      await engine.clone(request(source, ours), unattended);
      equal(hgText(ours, ['branch']), 'stable');
    }
    const hash = place() + '#x';
    writeFileSync(hash, readFileSync(bundle));
    equal((await engine.clone(request(hash), unattended)).source, hash);
  });

  it('of a stream cannot be added to a repository that is there, and says so', async () => {
    const root = place();
    hg(folder.path, ['clone', '-q', '-U', repository('branches'), root]);
    const before = storeFiles(root);
    for (const { make } of Object.values(streams)) {
      const bundle = bundleOf('nastyNames', make);
      const expected = { kind: 'unsupported', message: /is a stream: it can only be cloned/ };
      await rejects(engine.unbundle({ root, bundle }, unattended), expected);
      await rejects(engine.pull({ root, source: bundle, settings }, unattended), expected);
      await rejects(engine.incoming({ root, source: bundle, settings }, unattended), expected);
      deepEqual(storeFiles(root), before);
    }
  });

  it('is whole or absent, wherever the file ends', async () => {
    const random = pseudoRandom(5);
    for (const make of [...Object.values(streams).map((stream) => stream.make), ['bundle', '-qat', 'zstd-v2']]) {
      const whole = readFileSync(bundleOf('branches', make));
      const cut = place();
      const lengths = [0, 1, 3, 4, 5, 6, 22, 24, 80, whole.length - 1, whole.length - 4];
      while (lengths.length < 40) lengths.push(Math.floor(random() * whole.length));
      for (const length of lengths) {
        writeFileSync(cut, whole.subarray(0, length));
        const ours = place();
        const outcome = await outcomeOf(() => engine.clone(request(cut, ours, { kind: 'none' }), unattended));
        equal('error' in outcome && outcome.error.kind, 'corrupt', `${make.join(' ')} cut at ${length}`);
        equal(existsSync(ours), false);
      }
    }
    deepEqual(
      readdirSync(folder.path).filter((name) => name.startsWith('.')),
      [],
    );
  });

  it('that is no bundle is refused, and so is a folder that is taken', async () => {
    const text = place();
    writeFileSync(text, 'some words of no use');
    await rejects(engine.clone(request(text), unattended), { kind: 'protocol', message: /no bundle/ });
    writeFileSync(text, 'HG20\0\0\0\x0eCompression=XZ');
    await rejects(engine.clone(request(text), unattended), { kind: 'unsupported', subject: 'XZ' });
    const taken = place();
    mkdirSync(taken);
    writeFileSync(join(taken, 'mine'), '');
    const bundle = bundleOf('branches', streams['stream v2'].make);
    await rejects(engine.clone(request(bundle, taken), unattended), { kind: 'destination' });
    deepEqual(readdirSync(taken), ['mine']);
  });
});
