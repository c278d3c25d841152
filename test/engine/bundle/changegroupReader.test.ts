import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBundle } from '../../../src/engine/bundle/openBundle';
import {
  parseChangegroupVersion,
  passTreeManifests,
  readDeltaGroup,
  readFileName,
  type ChangegroupRevision,
  type ChangegroupVersion,
} from '../../../src/engine/bundle/changegroupReader';
import { ByteReader } from '../../../src/engine/io/byteReader';
import { cutEverywhere, flipBits, inPieces, outcomeOf } from '../../fixtures/damage';
import { temporaryDirectory, type TemporaryDirectory } from '../../fixtures/hg';
import { hg, hgText } from '../../fixtures/hgCommand';
import { repository } from '../../fixtures/repositories';

/** How hg is asked for a bundle with a changegroup of that version. */
const specifications: Record<ChangegroupVersion, string[]> = {
  '01': ['-t', 'none-v1'],
  '02': ['-t', 'none-v2'],
  '03': ['-t', 'none-v2', '--config', 'experimental.changegroup3=yes', '--config', 'format.usegeneraldelta=yes'],
};

describe('reading a changegroup', () => {
  let folder: TemporaryDirectory;
  before(async () => {
    folder = await temporaryDirectory('changegroup');
  });
  after(() => folder.remove());

  const bundleOf = (version: ChangegroupVersion) => {
    const path = join(folder.path, `bundle-${version}`);
    const type = version === '03' ? 'none-v2;cg.version=03' : specifications[version][1];
    hg(repository('branches'), ['bundle', '-q', '--all', '-t', type, ...specifications[version].slice(2), path]);
    return path;
  };

  for (const version of ['01', '02', '03'] as const) {
    it(`gives the revisions that hg lists, version ${version}`, async () => {
      const path = bundleOf(version);
      const listed = hgText(folder.path, ['debugbundle', '--all', path]);
      const read = await readAll(readFileSync(path), 4096);
      assert.equal(read.version, version);
      // hg lists six columns under "changelog", "manifest" and each file's name.
      const rows = listed
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => /^[0-9a-f]{40} /.test(line));
      assert.ok(rows.length > 20, listed);
      // hg lists no files of version 03: treemanifests may stand before them.
      const compared = version === '03' ? read.revisions.slice(0, rows.length) : read.revisions;
      assert.equal(read.revisions.length, (await readAll(readFileSync(bundleOf('02')), 4096)).revisions.length);
      assert.deepEqual(
        compared.map(({ node, p1, p2, link, base, delta }) => `${node} ${p1} ${p2} ${link} ${base} ${delta.length}`),
        rows,
      );
      assert.deepEqual(await readAll(readFileSync(path), 7), read);
    });

    it(`says of one that is cut that it is, wherever, version ${version}`, async () => {
      const bytes = readFileSync(bundleOf(version));
      for (const cut of cutEverywhere(bytes)) {
        if (cut.length % 37 !== 0) continue;
        assert.ok('error' in (await outcomeOf(() => readAll(cut, 4096))), `cut at ${cut.length}`);
      }
    });

    it(`comes to an end with any bit turned over, version ${version}`, async () => {
      const bytes = readFileSync(bundleOf(version));
      for (const flipped of flipBits(bytes, 300)) await outcomeOf(() => readAll(flipped, 4096));
    });
  }

  it('does not believe lengths', async () => {
    for (const length of [-1, 1, 3, 4, 83, 0x7fffffff]) {
      const bytes = Buffer.alloc(200);
      bytes.writeInt32BE(length);
      const reader = new ByteReader(inPieces(bytes, 64), 'changegroup');
      await assert.rejects(
        readDeltaGroup(reader, '01', () => undefined),
        { kind: 'corrupt' },
        String(length),
      );
    }
    const name = Buffer.alloc(8);
    name.writeInt32BE(0x100_0000);
    await assert.rejects(readFileName(new ByteReader(inPieces(name, 8), 'changegroup')), { kind: 'corrupt' });
    assert.throws(() => parseChangegroupVersion('04'), { kind: 'protocol' });
  });
});

/** All revisions of a bundle's changegroup, in order. */
async function readAll(
  bytes: Uint8Array,
  pieces: number,
): Promise<{ version: ChangegroupVersion; revisions: ChangegroupRevision[] }> {
  const bundle = await openBundle(new ByteReader(inPieces(bytes, pieces), 'bundle file'), () => undefined);
  assert.notEqual(bundle.kind, 'stream');
  if (bundle.kind === 'changegroup') return { version: '01', revisions: await readRevisions(bundle.reader, '01') };
  let found: { version: ChangegroupVersion; revisions: ChangegroupRevision[] } | undefined;
  if (bundle.kind === 'bundle2') {
    for await (const part of bundle.parts) {
      if (part.type !== 'changegroup') continue;
      const version = parseChangegroupVersion(part.parameters.get('version') ?? '01');
      found = { version, revisions: await readRevisions(new ByteReader(part.payload, 'changegroup'), version) };
    }
  }
  return found ?? { version: '01', revisions: [] };
}

async function readRevisions(reader: ByteReader, version: ChangegroupVersion): Promise<ChangegroupRevision[]> {
  const revisions: ChangegroupRevision[] = [];
  const take = (revision: ChangegroupRevision) => revisions.push(revision);
  await readDeltaGroup(reader, version, take);
  await readDeltaGroup(reader, version, take);
  await passTreeManifests(reader, version);
  while ((await readFileName(reader)) !== undefined) await readDeltaGroup(reader, version, take);
  return revisions;
}
