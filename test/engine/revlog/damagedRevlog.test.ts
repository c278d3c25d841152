import { equal, ok, throws } from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { zstdReady } from '../../../src/engine/compression/block';
import { EngineError } from '../../../src/engine/io/errors';
import type { Rev } from '../../../src/engine/revlog/node';
import { Revlog } from '../../../src/engine/revlog/revlog';
import { chainRepository, revlogsOf } from '../../fixtures/chainRepositories';
import { pseudoRandom } from '../../fixtures/sourceHistory';

const entryLength = 64;

describe('a damaged revlog', () => {
  let folder: string;
  let inline: string;
  let split: string;

  before(async () => {
    await zstdReady;
    folder = mkdtempSync(join(tmpdir(), 'deltascope-damage-'));
    inline = await pathOf('snapshots', 'text');
    split = await pathOf('noSparse', 'text');
    ok(!existsSync(chunksOf(inline)) && existsSync(chunksOf(split)));
  });

  after(() => rmSync(folder, { recursive: true }));

  it('is refused when it is cut anywhere but between revisions, unless damage is to be kept', () => {
    const whole = readFileSync(inline);
    for (let cut = 1; cut < 2000; cut += 61) {
      const path = write('cut.i', whole.subarray(0, whole.length - cut));
      throws(() => Revlog.open(path), { kind: 'corrupt', subject: path });
      using revlog = Revlog.open(path, { isDamageKept: true });
      ok(revlog.length > 100);
      ok(revlog.text((revlog.length - 1) as Rev).length > 0);
    }
    for (const length of [1, 3])
      throws(() => Revlog.open(write('cut.i', whole.subarray(0, length))), { kind: 'corrupt' });
    using none = Revlog.open(write('none.i', Buffer.alloc(0)));
    equal(none.length, 0);
  });

  it('is refused by name when it is of another version, has other features, or is no revlog', () => {
    const cases: [string, RegExp][] = [
      ['00000000', /from before 2006/],
      ['0000dead', /experimental/],
      ['00010002', /experimental/],
      ['00050001', /features/],
      ['89504e47', /no revlog/],
      ['7f454c46', /no revlog/],
    ];
    for (const [header, message] of cases) {
      const path = write('other.i', Buffer.concat([Buffer.from(header, 'hex'), Buffer.alloc(60)]));
      throws(() => Revlog.open(path), { kind: 'unsupported', message, subject: path });
    }
  });

  it('tells the revision when a base or a parent is not before it', () => {
    for (const base of [5, 0x7fff_ffff, -1, -2]) {
      const path = changed(split, (index) => index.writeInt32BE(base, 3 * entryLength + 16));
      using revlog = Revlog.open(path);
      throws(() => revlog.text(3 as Rev), { kind: 'corrupt', message: /Revision 3 \(/, offset: 3 * entryLength });
      ok(revlog.text(2 as Rev).length > 0);
    }
    for (const field of [24, 28]) {
      using revlog = Revlog.open(changed(split, (index) => index.writeInt32BE(3, 3 * entryLength + field)));
      throws(() => revlog.text(3 as Rev), { kind: 'corrupt', message: /Revision 3 \(/ });
    }
  });

  it('tells when a chunk is past the end, or its text is of another length', () => {
    const changes: ((index: Buffer) => void)[] = [
      (index) => index.writeUInt32BE(0xffff_ffff, 3 * entryLength + 8),
      (index) => index.writeUIntBE(0xffff_ffff_ffff, 3 * entryLength, 6),
      (index) => index.writeInt32BE(17, 3 * entryLength + 12),
      (index) => index.writeInt32BE(0x7fff_ffff, 3 * entryLength + 12),
    ];
    for (const change of changes) {
      using revlog = Revlog.open(changed(split, change));
      throws(() => revlog.text(3 as Rev), { kind: 'corrupt' });
      ok(revlog.text(2 as Rev).length > 0);
    }
  });

  it('does not unpack what inflates to more than was promised', () => {
    const bomb = deflateSync(Buffer.alloc(200_000_000));
    const index = Buffer.alloc(entryLength);
    index.writeUInt32BE(0x0003_0001);
    index.writeUInt32BE(bomb.length, 8);
    index.writeUInt32BE(1000, 12);
    index.fill(0xff, 24, 32);
    using revlog = Revlog.open(write('bomb.i', Buffer.concat([index, bomb])));
    const before = process.memoryUsage().rss;
    throws(() => revlog.text(0 as Rev), { kind: 'corrupt', message: /Revision 0/, offset: entryLength });
    ok(process.memoryUsage().rss - before < 50_000_000);
  });

  it('says why a revision has no text: censored, elsewhere, a stand-in, unknown', () => {
    const cases: [number, RegExp][] = [
      [0x8000, /censored/],
      [0x4000, /narrow/],
      [0x2000, /LFS/],
      [0x0001, /does not know/],
    ];
    for (const [flag, message] of cases) {
      using revlog = Revlog.open(changed(split, (index) => index.writeUInt16BE(flag, 2 * entryLength + 6)));
      throws(() => revlog.text(2 as Rev), { kind: 'unsupported', message });
      ok(revlog.rawText(2 as Rev).length > 0);
      ok(revlog.text(3 as Rev).length > 0);
    }
  });

  it('never gives a wrong text, and never harms, when bits are turned', () => {
    const random = pseudoRandom(8);
    const texts = new Map<number, Buffer>();
    using sound = Revlog.open(inline);
    for (let rev = 0; rev < sound.length; rev++) texts.set(rev, Buffer.from(sound.text(rev as Rev)));
    const whole = readFileSync(inline);
    for (let turn = 0; turn < 60; turn++) {
      const bytes = Buffer.from(whole);
      bytes[Math.floor(random() * (turn < 30 ? whole.length : 20_000))] ^= 1 << Math.floor(random() * 8);
      eachText(write('turned.i', bytes), (text, revlog, rev) => {
        // A turned bit in an entry's node or parent makes it another revision; its text is still of a revision.
        if (revlog.node(rev) === sound.node(rev)) ok(texts.get(rev)?.equals(text));
      });
    }
  });

  it('refuses a text that does not hash to its node', () => {
    using revlog = Revlog.open(changed(split, (index) => (index[4 * entryLength + 40] ^= 1)));
    throws(() => revlog.text(4 as Rev), { kind: 'integrity', subject: revlog.node(4 as Rev) });
  });

  it('says that it is gone, or became shorter, instead of guessing', () => {
    const path = changed(split, () => undefined);
    using revlog = Revlog.open(path);
    writeFileSync(chunksOf(path), readFileSync(chunksOf(path)).subarray(0, 1000));
    throws(() => revlog.text(3 as Rev), { kind: 'corrupt', subject: chunksOf(path), offset: 1000 });
    rmSync(chunksOf(path));
    using other = Revlog.open(path);
    throws(() => other.text(3 as Rev), { code: 'ENOENT' });
  });

  function write(name: string, bytes: Uint8Array): string {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  }

  function changed(path: string, change: (index: Buffer) => void): string {
    const index = readFileSync(path);
    change(index);
    const copy = write('changed.i', index);
    copyFileSync(chunksOf(path), chunksOf(copy));
    return copy;
  }
});

async function pathOf(kind: 'snapshots' | 'noSparse', file: string): Promise<string> {
  const found = revlogsOf(await chainRepository(kind)).find(({ hgArgs }) => hgArgs[0] === file);
  ok(found);
  return found.path;
}

function chunksOf(path: string): string {
  return path.replace(/\.i$/, '.d');
}

/** Every text that can be had; what is thrown must be an error of ours. */
function eachText(path: string, see: (text: Uint8Array, revlog: Revlog, rev: Rev) => void): void {
  try {
    using revlog = Revlog.open(path, { isDamageKept: true });
    for (let rev = 0; rev < revlog.length; rev++) {
      try {
        see(revlog.text(rev as Rev), revlog, rev as Rev);
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
      }
    }
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
  }
}
