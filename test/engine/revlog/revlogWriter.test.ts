import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, linkSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdReady } from '../../../src/engine/compression/block';
import { diffTexts } from '../../../src/engine/revlog/diff';
import { nullNode, nullRev, type Node, type Rev } from '../../../src/engine/revlog/node';
import { repositoryDeltaSettings, type DeltaSettings } from '../../../src/engine/revlog/policy/deltaSettings';
import { Revlog } from '../../../src/engine/revlog/revlog';
import { RevlogWriter, type NewRevision } from '../../../src/engine/revlog/revlogWriter';
import { readRequirements } from '../../../src/engine/store/requirements';
import { chainRepository, chainRepositoryKinds, revlogsOf } from '../../fixtures/chainRepositories';
import { hg, hgText } from '../../fixtures/hgCommand';

const plain: DeltaSettings = {
  isGeneraldelta: true,
  isSparse: true,
  bothParents: true,
  comparesWhole: true,
  maxChainLength: 1000,
  maxChainRatio: 2,
  engine: 'zlib',
  reuse: 'judge',
};

describe('the writer of revlogs', () => {
  let folder: string;
  before(async () => {
    await zstdReady;
    folder = mkdtempSync(join(tmpdir(), 'deltascope-writer-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const kind of chainRepositoryKinds) {
    it(`writes every history of a repository so that hg finds nothing wrong with it: ${kind}`, async () => {
      const source = await chainRepository(kind);
      const root = join(folder, kind);
      cpSync(source, root, { recursive: true, verbatimSymlinks: true });
      const settings = repositoryDeltaSettings(join(root, '.hg'), readRequirements(join(root, '.hg')));
      for (const { path } of revlogsOf(root)) {
        const chunks = path.replace(/i$/, 'd');
        const hadChunks = existsSync(chunks);
        rmSync(path);
        rmSync(chunks, { force: true });
        using old = Revlog.open(join(source, path.slice(root.length)));
        writeInTurns(old, { index: path, chunks }, settings);
        equal(existsSync(chunks), hadChunks, path);
      }
      ok(/(^|\n)checked \d+ changesets/.test(hgText(root, ['verify'])));
      equal(hgText(root, ['log', '-r', 'all()', '-T', '{node} {files}\n']), logOf(source));
      hg(root, ['commit', '-m', 'on top', '--config', 'ui.allowemptycommit=yes']);
      hg(root, ['verify', '-q']);
    });
  }

  it('tells before it adds to a file, and what it says is enough to take everything back', () => {
    const paths = { index: join(folder, 'hooks.i'), chunks: join(folder, 'hooks.d') };
    const texts = manyTexts(60);
    {
      using writer = RevlogWriter.open(paths, plain);
      for (const revision of history(texts).slice(0, 3)) writer.addRevision(revision);
      writer.close();
    }
    const before = readFileSync(paths.index);
    const lengths = new Map<string, number>();
    const replaced = new Map<string, Buffer>();
    const hooks = {
      willAppend: (path: string, length: number) => lengths.set(path, length),
      willReplace: (path: string) => replaced.set(path, readFileSync(path)),
    };
    using writer = RevlogWriter.open(paths, plain, hooks);
    for (const revision of history(texts)) writer.addRevision(revision);
    equal(statSync(paths.index).size, before.length);
    writer.close();
    deepEqual(lengths, new Map([[paths.chunks, 0]]));
    deepEqual(replaced, new Map([[paths.index, before]]));
    using whole = Revlog.open(paths.index);
    equal(whole.isInline, false);
    texts.forEach((text, rev) => deepEqual(Buffer.from(whole.text(rev as Rev)), text));
    const length = statSync(paths.index).size;
    {
      using more = RevlogWriter.open(paths, plain, hooks);
      more.addRevision(revisionOf(Buffer.from('another\n'), 60, nullRev, nullNode));
      more.close();
    }
    equal(lengths.get(paths.index), length);
    truncateSync(paths.index, length);
    truncateSync(paths.chunks, lengths.get(paths.chunks));
    using again = Revlog.open(paths.index);
    equal(again.length, 60);
  });

  it('refuses a text that does not hash to its node, and keeps nothing of it', () => {
    const paths = { index: join(folder, 'wrong.i'), chunks: join(folder, 'wrong.d') };
    using writer = RevlogWriter.open(paths, plain);
    const [first, second] = history(manyTexts(2));
    writer.addRevision(first);
    throws(() => writer.addRevision({ ...second, text: Buffer.from('something else') }), {
      kind: 'integrity',
      subject: second.node,
    });
    equal(writer.length, 1);
    equal(writer.find(second.node), undefined);
    writer.addRevision(second);
    writer.close();
    using revlog = Revlog.open(paths.index);
    equal(revlog.length, 2);
  });

  it('refuses deltas that do not apply, wherever a byte of them is cut or changed', () => {
    const paths = { index: join(folder, 'damaged.i'), chunks: join(folder, 'damaged.d') };
    using writer = RevlogWriter.open(paths, plain);
    const [first, second] = history(manyTexts(2));
    writer.addRevision(first);
    const good = Buffer.from(diffTexts(textOf(first), textOf(second)));
    const { node, p1, p2, linkrev } = second;
    const add = (bytes: Uint8Array) => writer.addRevision({ node, p1, p2, linkrev, delta: { base: 0 as Rev, bytes } });
    const refused = (error: { kind?: string }) => error.kind === 'corrupt' || error.kind === 'integrity';
    for (let cut = 1; cut < good.length; cut += 7) throws(() => add(good.subarray(0, cut)), refused);
    for (let bit = 0; bit < good.length * 8; bit += 5) {
      const bad = Buffer.from(good);
      bad[bit >> 3] ^= 1 << (bit & 7);
      throws(() => add(bad), refused, `bit ${bit}`);
    }
    throws(() => writer.addRevision({ node, p1, p2, linkrev, delta: { base: 5 as Rev, bytes: good } }), refused);
    throws(() => writer.addRevision({ ...second, p1: 7 as Rev }), refused);
    equal(add(good), 1);
    equal(add(good), 1);
  });

  it('adds nothing to the files of a clone that shares them', () => {
    const paths = { index: join(folder, 'shared.i'), chunks: join(folder, 'shared.d') };
    const texts = manyTexts(30);
    {
      using writer = RevlogWriter.open(paths, plain);
      for (const revision of history(texts).slice(0, 29)) writer.addRevision(revision);
      writer.close();
    }
    const other = { index: join(folder, 'other.i'), chunks: join(folder, 'other.d') };
    linkSync(paths.index, other.index);
    linkSync(paths.chunks, other.chunks);
    const before = [readFileSync(other.index), readFileSync(other.chunks)];
    using writer = RevlogWriter.open(paths, plain);
    writer.addRevision(history(texts)[29]);
    writer.close();
    deepEqual([readFileSync(other.index), readFileSync(other.chunks)], before);
    using revlog = Revlog.open(paths.index);
    deepEqual(Buffer.from(revlog.text(29 as Rev)), texts[29]);
  });

  it('stores a censored text as it comes, with its flag', () => {
    const paths = { index: join(folder, 'censored.i'), chunks: join(folder, 'censored.d') };
    const text = Buffer.from('\x01\ncensored: on purpose\n\x01\n');
    using writer = RevlogWriter.open(paths, plain);
    writer.addRevision({ node: 'ab'.repeat(20) as Node, p1: nullRev, p2: nullRev, linkrev: 0, flags: 0x8000, text });
    writer.close();
    using revlog = Revlog.open(paths.index);
    equal(revlog.flags(0 as Rev), 0x8000);
    deepEqual(Buffer.from(revlog.rawText(0 as Rev)), text);
  });
});

/** Adds the revisions of a revlog, some by text and some by delta, through three writers one after another. */
function writeInTurns(old: Revlog, paths: { index: string; chunks: string }, settings: DeltaSettings): void {
  const ends = [Math.floor(old.length / 3), Math.floor(old.length / 2), old.length];
  let next = 0;
  for (const end of ends) {
    using writer = RevlogWriter.open(paths, settings);
    for (; next < end; next++) {
      const rev = next as Rev;
      const base = next % 2 === 0 ? nullRev : old.deltaParent(rev);
      const content =
        base === nullRev ? { text: old.rawText(rev) } : { delta: { base, bytes: Buffer.from(old.decodedChunk(rev)) } };
      equal(
        writer.addRevision({
          node: old.node(rev),
          p1: old.p1(rev),
          p2: old.p2(rev),
          linkrev: old.linkrev(rev),
          flags: old.flags(rev),
          ...content,
        }),
        next,
      );
    }
    writer.close();
  }
  using written = Revlog.open(paths.index);
  for (let rev = 0; rev < old.length; rev++) {
    ok(Buffer.from(old.rawText(rev as Rev)).equals(written.rawText(rev as Rev)), `${paths.index} ${rev}`);
  }
}

function logOf(root: string): string {
  return hgText(root, ['log', '-r', 'all()', '-T', '{node} {files}\n']);
}

/** Texts that hardly compress, one line of which changes each time. */
function manyTexts(count: number): Buffer[] {
  const line = (seed: string) => `${createHash('sha512').update(seed).digest('base64')}\n`;
  const lines = Array.from({ length: 300 }, (_, at) => line(`first ${at}`));
  return Array.from({ length: count }, (_, at) => {
    for (let change = 0; change < 40; change++) lines[(at * 53 + change * 7) % 300] = line(`${at} ${change}`);
    return Buffer.from(lines.join(''));
  });
}

function history(texts: readonly Buffer[]): (NewRevision & { text: Uint8Array })[] {
  let node = nullNode;
  return texts.map((text, rev) => {
    const revision = revisionOf(text, rev, (rev - 1) as Rev, node);
    node = revision.node;
    return revision;
  });
}

function revisionOf(text: Buffer, linkrev: number, p1: Rev, parent: Node): NewRevision & { text: Uint8Array } {
  const parents = Buffer.from([nullNode, parent].sort().join(''), 'hex');
  const node = createHash('sha1').update(parents).update(text).digest('hex') as Node;
  return { node, p1, p2: nullRev, linkrev, text };
}

function textOf(revision: NewRevision & { text: Uint8Array }): Uint8Array {
  return revision.text;
}
