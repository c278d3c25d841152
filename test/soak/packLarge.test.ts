import assert from 'node:assert/strict';
import { once } from 'node:events';
import { openSync, readdirSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { unattended } from '../../src/engine/io/operation';
import { readPackColumns } from '../../src/engine/pack/readPackColumns';
import type { UnpackReport } from '../../src/engine/pack/unpackPack';
import { verifyPackLines } from '../../src/engine/pack/verifyPackLines';
import { allObjects, gitLines, initRepository, temporaryFolder } from '../fixtures/gitRepository';
import { writeLargePack } from '../fixtures/largePack';
import { buildDelta, nameOf } from '../fixtures/packBuilder';
import { finished, UnpackProgram } from '../fixtures/unpackProgram';

const gibibyte = 1024 ** 3;

describe('packs of gigabytes', function () {
  this.timeout(30 * 60_000);
  const folder = temporaryFolder('soak');
  let program: UnpackProgram;
  let made = 0;
  const target = () => initRepository(join(folder.path, `target${made++}.git`));
  before(async () => {
    program = await UnpackProgram.build();
  });
  after(() => {
    program[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  async function unpack(pack: string, repository: string, fromInput = false): Promise<UnpackReport> {
    const child = program.start(['--json', fromInput ? '-' : pack, '--into', repository], {
      stdio: [fromInput ? openSync(pack, 'r') : 'ignore', 'pipe', 'pipe'],
    });
    const run = await finished(child);
    assert.equal(run.code, 0, run.stderr);
    return JSON.parse(run.stdout) as UnpackReport;
  }

  it('need no more memory for 4 GiB than for 1 GiB', async () => {
    for (const fromInput of [false, true]) {
      const peaks: number[] = [];
      for (const size of [1, 4]) {
        const path = join(folder.path, `${made}.pack`);
        const [name] = await writeLargePack(path, [{ size: size * gibibyte, random: true }]);
        const repository = target();
        const report = await unpack(path, repository, fromInput);
        assert.deepEqual(allObjects(repository), [`${name} blob ${size * gibibyte}`]);
        peaks.push(report.peakMemory);
      }
      console.log(`      peak memory: ${peaks.map((peak) => `${(peak / 1024 / 1024).toFixed(1)} MiB`).join(', ')}`);
      assert.ok(peaks[1] < 150_000_000, String(peaks));
      if (!fromInput) assert.ok(peaks[1] <= peaks[0] * 1.05, String(peaks));
    }
  });

  it('with objects of more than 2 GiB, deltas on them, and distances of more than 4 GiB, give what git gives', async () => {
    // A small base, then 4.2 GiB, then a delta that reaches back over them, and one that changes a byte in the middle.
    const base = Buffer.from('a base at the begin');
    const large = 2.1 * gibibyte - ((2.1 * gibibyte) % 4096);
    const path = join(folder.path, 'distances.pack');
    const names = await writeLargePack(path, [
      { bytes: base },
      { size: large, random: true },
      { size: large, random: false, level: 0 },
      { delta: buildDelta(base.length, base.length + 1, [{ copy: [0, base.length] }, { insert: '!' }]), base: 0 },
      {
        delta: Buffer.concat([
          buildDelta(large, large, copies(0, large / 2)),
          buildDelta(0, 0, [{ insert: 'x' }, ...copies(large / 2 + 1, large / 2 - 1)]).subarray(2),
        ]),
        base: 1,
      },
    ]);
    const repository = target();
    const report = await unpack(path, repository);
    assert.equal(report.objects, 5);
    assert.ok(report.packBytes > 4 * gibibyte);
    assert.ok(report.peakMemory < 200_000_000, String(report.peakMemory));
    const objects = allObjects(repository);
    for (const one of names)
      assert.ok(
        objects.some((line) => line.startsWith(one)),
        one,
      );
    assert.ok(objects.some((line) => line.startsWith(nameOf('blob', Buffer.from('a base at the begin!')))));
    assert.deepEqual(gitLines(repository, ['fsck', '--full', '--no-dangling']), []);

    const theirs = target();
    const index = spawn('git', ['index-pack', '--stdin'], {
      cwd: theirs,
      stdio: [openSync(path, 'r'), 'ignore', 'inherit'],
    });
    assert.equal((await once(index, 'close'))[0], 0);
    assert.deepEqual(objects, allObjects(theirs));
    const packs = join(theirs, 'objects/pack');
    const packed = join(
      packs,
      readdirSync(packs).find((file) => file.endsWith('.pack'))!,
    );
    const lines = gitLines(theirs, ['verify-pack', '-v', packed]).slice(0, -1);
    assert.deepEqual([...verifyPackLines(await readPackColumns(packed, unattended))], lines);
  });
});

const copies = (from: number, length: number) =>
  Array.from({ length: Math.ceil(length / 65_536) }, (_, at) => ({
    copy: [from + at * 65_536, Math.min(65_536, length - at * 65_536)] as [number, number],
  }));
