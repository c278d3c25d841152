import { deepEqual, equal, throws } from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readFncache } from '../../../src/engine/store/fncache';
import { createRepository } from '../../../src/engine/store/newRepository';
import { encodeFolders, encodeStorePath } from '../../../src/engine/store/pathEncoding';
import { readRequirements, requirementsOfClone } from '../../../src/engine/store/requirements';
import { StoreWriter } from '../../../src/engine/store/storeWriter';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { hgText, tryHg } from '../../fixtures/hgCommand';
import { repository, repositoryKinds } from '../../fixtures/repositories';

const requirements = requirementsOfClone(['revlogv1', 'generaldelta']);
const topLevel = ['phaseroots', '00manifest.d', '00manifest.i', '00changelog.d', '00changelog.i'];

/** The store's files as a server streams them: name before encoding, and content. */
function* streamOf(store: string): Generator<[name: string, bytes: Buffer]> {
  for (const name of [...readFncache(store), ...topLevel]) {
    const path = join(store, encodeStorePath(name));
    if (existsSync(path)) yield [name, readFileSync(path)];
  }
}

/** Every file of a store with its content; undo files are hg's own business. */
function contents(store: string): Map<string, Buffer> {
  const files = readdirSync(store, { recursive: true, encoding: 'utf8' })
    .filter((path) => !/(^|\/)undo/.test(path) && statSync(join(store, path)).isFile())
    .sort();
  return new Map(
    files.map((path) => {
      const bytes = readFileSync(join(store, path));
      return [
        path,
        path === 'fncache' ? Buffer.from(bytes.toString('latin1').split('\n').sort().join('\n'), 'latin1') : bytes,
      ];
    }),
  );
}

describe('writing a store from a stream', () => {
  for (const kind of repositoryKinds) {
    for (const hasEncodedFolders of kind === 'nastyNames' ? [false, true] : [false]) {
      it(`gives byte for byte the store of the repository ${kind}${hasEncodedFolders ? ', with names of a legacy stream' : ''}`, async () => {
        using folder = temporaryFolder('store');
        const source = join(repository(kind), '.hg', 'store');
        const theirs = readRequirements(join(repository(kind), '.hg'));
        theirs.delete('exp-compression-none');
        const root = join(folder.path, 'r');
        createRepository(root, { requirements: theirs });
        using writer = new StoreWriter(root, { hasEncodedFolders });
        for (const [name, bytes] of streamOf(source))
          writer.file('store', hasEncodedFolders ? encodeFolders(name) : name, bytes);
        await writer.finish();
        const expected = contents(source);
        const written = contents(join(root, '.hg', 'store'));
        for (const path of ['requires', 'phaseroots']) {
          expected.delete(path);
          written.delete(path);
        }
        deepEqual([...written.keys()], [...expected.keys()]);
        for (const [path, bytes] of expected) equal(written.get(path)?.equals(bytes), true, path);
        const verified = tryHg(root, ['verify', '-q']);
        deepEqual([verified.code, verified.stdout.toString(), verified.stderr], [0, '', '']);
        equal(
          hgText(root, ['log', '-r', 'tip', '-T', '{node}']),
          hgText(repository(kind), ['log', '-r', 'tip', '-T', '{node}']),
        );
      });
    }
  }

  it('takes files in pieces, and those of the cache', async () => {
    using folder = temporaryFolder('store');
    createRepository(folder.path, { requirements });
    using writer = new StoreWriter(folder.path);
    writer.begin('store', 'data/A/in pieces.i');
    writer.write(Buffer.from('one '));
    writer.write(Buffer.from('two'));
    writer.close();
    writer.file('cache', 'branch2-served', Buffer.from('cached'));
    await writer.finish();
    equal(readFileSync(join(folder.path, '.hg/store/data/_a/in pieces.i'), 'utf8'), 'one two');
    equal(readFileSync(join(folder.path, '.hg/cache/branch2-served'), 'utf8'), 'cached');
    equal(readFileSync(join(folder.path, '.hg/store/fncache'), 'utf8'), 'data/A/in pieces.i\n');
  });

  it('refuses names that leave the store, and names that come twice', () => {
    using folder = temporaryFolder('store');
    createRepository(folder.path, { requirements });
    using writer = new StoreWriter(folder.path);
    using legacy = new StoreWriter(folder.path, { hasEncodedFolders: true });
    const nothing = new Uint8Array(0);
    for (const name of [
      '../hgrc',
      'data/../../hgrc',
      '/etc/passwd',
      'data/a\0.i',
      'requires',
      'fncache',
      'hgrc',
      'data/..',
    ]) {
      throws(() => writer.file('store', name, nothing), { kind: 'protocol' }, name);
      throws(() => legacy.file('store', name, nothing), { kind: 'protocol' }, name);
    }
    for (const name of ['../hgrc', 'a/b', '.', ''])
      throws(() => writer.file('cache', name, nothing), { kind: 'protocol' }, name);
    writer.file('store', 'data/a.i', nothing);
    throws(() => writer.file('store', 'data/a.i', nothing), { kind: 'protocol', message: /twice/ });
    writer.file('cache', 'tags2', nothing);
    throws(() => writer.file('cache', 'tags2', nothing), { kind: 'protocol', message: /twice/ });
  });
});
