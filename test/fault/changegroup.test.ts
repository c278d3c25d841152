import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../src/engine/engine';
import type { ChangegroupRevision } from '../../src/engine/bundle/changegroupReader';
import type { EngineError, ErrorKind } from '../../src/engine/io/errors';
import { nullNode, type Node } from '../../src/engine/revlog/node';
import { BusyRepository, stateOf } from '../fixtures/busyRepository';
import { builtEngine } from '../fixtures/engine';
import { temporaryFolder } from '../fixtures/gitRepository';
import { hg, hgText } from '../fixtures/hgCommand';
import { putTogether, takeApart, type TakenApart } from '../fixtures/rewrittenBundle';
import { unbundleBytes } from '../fixtures/unbundleBytes';

const nowhere = 'ab'.repeat(20) as Node;

/** A delta of one hunk: these bytes in place of those from `start` to `end`. */
function hunk(start: number, end: number, bytes: string | Buffer, length = bytes.length): Buffer {
  const head = Buffer.alloc(12);
  [start, end, length].forEach((value, at) => head.writeUInt32BE(value >>> 0, 4 * at));
  return Buffer.concat([head, Buffer.from(bytes as string)]);
}

interface Lie {
  kind: ErrorKind;
  message: RegExp;
  /** What is said of a revision instead of the truth. */
  of: (revision: ChangegroupRevision) => Partial<ChangegroupRevision>;
}

const doesNotApply = { kind: 'corrupt', message: /hunk that cannot be/ } as const;
const isUnknown = (what: string) => new RegExp(`has ${what} that is neither here nor in the bundle: ${nowhere}`);

/** Lies that may be told of any revision. */
const lies: Record<string, Lie> = {
  'a delta base that nobody has': {
    ...{ kind: 'corrupt', message: isUnknown('a delta base') },
    of: () => ({ base: nowhere }),
  },
  'a delta base that is itself': {
    ...{ kind: 'corrupt', message: /has a delta base that is neither here nor/ },
    of: ({ node }) => ({ base: node }),
  },
  'a first parent that nobody has': {
    ...{ kind: 'corrupt', message: isUnknown('a parent') },
    of: () => ({ p1: nowhere }),
  },
  'a second parent that nobody has': {
    ...{ kind: 'corrupt', message: isUnknown('a parent') },
    of: () => ({ p2: nowhere }),
  },
  'parents that are not its own': {
    ...{ kind: 'integrity', message: /does not have the content that its hash stands for/ },
    of: ({ p1, p2 }) => (p1 === nullNode && p2 === nullNode ? { node: nowhere } : { p1: nullNode, p2: nullNode }),
  },
  'another text than its hash stands for': {
    ...{ kind: 'integrity', message: /does not have the content that its hash stands for/ },
    of: () => ({ base: nullNode, delta: hunk(0, 0, 'something else\n') }),
  },
  'no text': {
    ...{ kind: 'integrity', message: /does not have the content that its hash stands for/ },
    of: () => ({ base: nullNode, delta: Buffer.alloc(0) }),
  },
  'a delta that is cut within the head of a hunk': {
    ...doesNotApply,
    of: ({ delta }) => ({ delta: Buffer.concat([delta, Buffer.alloc(5)]) }),
  },
  'a hunk that says it is longer than it is': { ...doesNotApply, of: () => ({ delta: hunk(0, 0, 'x', 1000) }) },
  'a hunk of 4 GB': { ...doesNotApply, of: () => ({ delta: hunk(0, 0, 'x', 0xffff_ffff) }) },
  'a hunk that ends before it begins': { ...doesNotApply, of: () => ({ delta: hunk(1, 0, 'x') }) },
  'a hunk behind the end of the text': { ...doesNotApply, of: () => ({ delta: hunk(0, 0x7fff_ffff, 'x') }) },
  'a hunk that begins behind the end': {
    ...doesNotApply,
    of: () => ({ delta: hunk(0x7fff_fff0, 0x7fff_ffff, 'x') }),
  },
  'a hunk at a negative place': { ...doesNotApply, of: () => ({ delta: hunk(-1, -1, 'x') }) },
  'hunks out of order': {
    ...doesNotApply,
    of: () => ({ base: nullNode, delta: Buffer.concat([hunk(0, 0, 'one'), hunk(-1, 0, 'two')]) }),
  },
};

/** What only a changegroup of version 03 can say. */
const liesByFlags: Record<string, Lie> = Object.fromEntries(
  [0x4000, 0x2000, 0x0800, 0x0001, 0x4800].map((flags) => [
    `flags that cannot be kept here (0x${flags.toString(16)})`,
    {
      kind: 'unsupported',
      message: /does not know|stand-in|outside the history/,
      of: () => ({ flags, base: nullNode, delta: hunk(0, 0, 'x') }),
    },
  ]),
);

const linkToNothing: Lie = {
  ...{ kind: 'corrupt', message: isUnknown('a changeset') },
  of: () => ({ link: nowhere }),
};

describe('a changegroup that lies', function () {
  this.timeout(60_000);
  const folder = temporaryFolder('lies');
  let engine: Engine;
  let busy: BusyRepository;
  let clone: string;
  let truth: TakenApart;
  before(async () => {
    engine = builtEngine();
    busy = new BusyRepository(join(folder.path, 'busy'), 5);
    clone = join(folder.path, 'clone');
    for (let round = 0; round < 3; round++) busy.work();
    hg(folder.path, ['clone', '-q', '-U', '--pull', busy.root, clone]);
    for (let round = 0; round < 6; round++) busy.work();
    const file = join(folder.path, 'new.hg');
    const base = hgText(clone, ['log', '-r', 'tip', '-T', '{node}']);
    hg(busy.root, ['bundle', '-q', '-t', 'none-v2', '--base', base, file]);
    truth = await takeApart(readFileSync(file));
  });
  after(async () => {
    await engine.dispose();
    folder[Symbol.dispose]();
  });

  const groups: Record<string, (from: TakenApart) => ChangegroupRevision[]> = {
    changeset: ({ changesets }) => changesets,
    manifest: ({ manifests }) => manifests,
    'file revision': ({ files }) => files[files.length - 1].revisions,
  };

  for (const [group, revisionsOf] of Object.entries(groups)) {
    const all = group === 'changeset' ? lies : { ...lies, 'a changeset that nobody has': linkToNothing };
    for (const [what, lie] of Object.entries(all)) {
      it(`is refused: a ${group} has ${what}`, async () => {
        await refused(lie, putTogether(withLie(truth, revisionsOf, 'first', lie)));
        await refused(lie, putTogether(withLie(truth, revisionsOf, 'last', lie)));
      });
    }
  }

  for (const [group, revisionsOf] of Object.entries(groups)) {
    for (const [what, lie] of Object.entries(liesByFlags)) {
      it(`is refused: a ${group} has ${what}`, () =>
        refused(lie, putTogether(withLie(truth, revisionsOf, 'last', lie), '03')));
    }
  }

  for (const [group, revisionsOf] of Object.entries(groups)) {
    it(`is refused: a ${group} goes unchecked, as if it were censored`, () => {
      const lie: Lie = { kind: 'corrupt', message: /censored/, of: () => ({ flags: 0x8000 }) };
      return refused(lie, putTogether(withLie(truth, revisionsOf, 'last', lie), '03'));
    });
  }

  const missing: Record<string, { of: (from: TakenApart) => TakenApart; message: RegExp }> = {
    'a manifest': { of: (from) => ({ ...from, manifests: from.manifests.slice(0, -1) }), message: /neither here nor/ },
    'all manifests': { of: (from) => ({ ...from, manifests: [] }), message: /neither here nor/ },
    'a file': { of: (from) => ({ ...from, files: from.files.slice(0, -1) }), message: /./ },
    'all files': { of: (from) => ({ ...from, files: [] }), message: /./ },
    'its changesets': { of: (from) => ({ ...from, changesets: [] }), message: /neither here nor/ },
  };
  for (const [what, { of, message }] of Object.entries(missing)) {
    it(`is refused: it leaves out ${what}`, () => refused({ kind: 'corrupt', message }, putTogether(of(truth))));
  }

  it('is refused: it names a file that leads elsewhere', async () => {
    for (const name of ['../../../../etc/x', '/etc/x', 'a/../../x', '.hg/hgrc', 'x\0y', '']) {
      const files = [{ name, revisions: truth.files[0].revisions }, ...truth.files.slice(1)];
      const before = everythingIn(folder.path);
      const error = await unbundle(putTogether({ ...truth, files }));
      ok(error !== undefined, name);
      deepEqual(everythingIn(folder.path), before, name);
    }
  });

  it('is taken when it does not', async () => {
    equal(await unbundle(putTogether(truth)), undefined);
    const nodes = (root: string) => hgText(root, ['log', '-T', '{node}\n']).split('\n').sort();
    deepEqual(nodes(clone), nodes(busy.root));
    ok(stateOf(clone).length > 0);
    equal(hgText(clone, ['verify', '-q']), '');
  });

  async function refused({ kind, message }: Pick<Lie, 'kind' | 'message'>, bundle: Buffer): Promise<void> {
    const before = everythingIn(clone);
    const error = await unbundle(bundle);
    ok(error !== undefined, 'it was taken');
    match(error.message, message);
    equal(error.kind, kind, error.message);
    deepEqual(everythingIn(clone), before, error.message);
  }

  function unbundle(bytes: Uint8Array): Promise<EngineError | undefined> {
    return unbundleBytes(engine, clone, join(folder.path, 'lie.hg'), bytes);
  }
});

/** The same, but for what is said of one revision of a group. */
function withLie(
  truth: TakenApart,
  revisionsOf: (from: TakenApart) => ChangegroupRevision[],
  which: 'first' | 'last',
  lie: Lie,
): TakenApart {
  const copy: TakenApart = {
    changesets: [...truth.changesets],
    manifests: [...truth.manifests],
    files: truth.files.map(({ name, revisions }) => ({ name, revisions: [...revisions] })),
  };
  const revisions = revisionsOf(copy);
  const at = which === 'first' ? 0 : revisions.length - 1;
  revisions[at] = { ...revisions[at], ...lie.of(revisions[at]) };
  return copy;
}

/** Every file below a folder with its bytes, but for what undoes the last transaction and for the bundle itself. */
function everythingIn(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^(undo\.|lie\.hg$)/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${path} ${readFileSync(path).toString('base64')}`)
    .sort();
}
