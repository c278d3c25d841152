import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, type Dirent, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../src/engine/engine';
import { unattended } from '../../src/engine/io/operation';
import { defaultWireSettings } from '../../src/engine/wire/wireSettings';
import { BusyRepository, stateOf } from '../fixtures/busyRepository';
import { flipBits } from '../fixtures/damage';
import { temporaryFolder } from '../fixtures/gitRepository';
import { DeltascopeProgram } from '../fixtures/deltascopeProgram';
import { builtEngine } from '../fixtures/engine';
import { HgServer, runHg, temporaryDirectory, type TemporaryDirectory } from '../fixtures/hg';
import { hg, hgText, tryHg } from '../fixtures/hgCommand';
import { roundsOf } from '../fixtures/howMuch';
import { killPulls } from '../fixtures/killedPulls';
import { repository } from '../fixtures/repositories';
import { SlowProxy } from '../fixtures/slowProxy';
import { unbundleBytes } from '../fixtures/unbundleBytes';

const settings = defaultWireSettings;

describe('a pull that goes wrong', function () {
  this.timeout(180_000);
  let engine: Engine;
  let folder: TemporaryDirectory;
  /** A repository that went on after it was cloned, and a bundle of what is new there. */
  let busy: BusyRepository;
  let clone: string;
  let bundle: Buffer;
  before(async () => {
    engine = builtEngine();
    folder = await temporaryDirectory('fault-pull');
    busy = new BusyRepository(join(folder.path, 'busy'), 5);
    clone = join(folder.path, 'clone');
    for (let round = 0; round < 3; round++) busy.work();
    hg(folder.path, ['clone', '-q', '-U', '--pull', busy.root, clone]);
    for (let round = 0; round < 6; round++) busy.work();
    const file = join(folder.path, 'new.hg');
    hg(clone, ['incoming', '-q', '--bundle', file, busy.root]);
    hg(busy.root, [
      'bundle',
      '-q',
      '-t',
      'none-v2',
      '--base',
      hgText(clone, ['log', '-r', 'tip', '-T', '{node}']),
      file,
    ]);
    bundle = readFileSync(file);
  });
  after(async () => {
    await engine.dispose();
    await folder.remove();
  });

  const storeOf = (root: string) =>
    readdirSync(join(root, '.hg', 'store'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith('undo'))
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return `${path.slice(root.length)} ${readFileSync(path).toString('base64')}`;
      })
      .sort();

  const unbundle = (bytes: Uint8Array) => unbundleBytes(engine, clone, join(folder.path, 'damaged.hg'), bytes);

  it('leaves the store byte for byte as it was when its bundle is cut anywhere', async () => {
    const before = storeOf(clone);
    const cuts = roundsOf(200, 30);
    for (let cut = 0; cut < cuts; cut++) {
      const error = await unbundle(bundle.subarray(0, Math.floor((bundle.length * cut) / cuts)));
      ok(error !== undefined, `cut ${cut}`);
      deepEqual(storeOf(clone), before, `cut ${cut}: ${error.message}`);
    }
  });

  it('accepts nothing wrong from a bundle with a bit turned over', async () => {
    const before = storeOf(clone);
    const kept = `${clone}-kept`;
    cpSync(clone, kept, { recursive: true });
    const nodes = new Set(hgText(busy.root, ['log', '-T', '{node}\n']).split('\n'));
    equal(await unbundle(bundle), undefined);
    const undamaged = stateOf(clone);
    const restore = () => {
      rmSync(clone, { recursive: true });
      cpSync(kept, clone, { recursive: true });
    };
    restore();
    let accepted = 0;
    for (const flipped of flipBits(bundle, roundsOf(500, 60))) {
      const error = await unbundle(flipped);
      if (error !== undefined) {
        deepEqual(storeOf(clone), before, error.message);
        continue;
      }
      accepted++;
      const verified = tryHg(clone, ['verify', '-q']);
      equal(verified.code, 0, verified.stderr + verified.stdout.toString());
      for (const node of hgText(clone, ['log', '-T', '{node}\n']).split('\n')) ok(nodes.has(node));
      equal(stateOf(clone), undamaged);
      restore();
    }
    ok(accepted < 60, `${accepted} were accepted`);
    rmSync(kept, { recursive: true });
  });

  it('is undone after a kill, by hg or by the next pull', async () => {
    using program = await DeltascopeProgram.build();
    await using server = await HgServer.start(busy.root);
    const killed = await killPulls(program, { clone, url: server.url, times: 6, slowest: 40 });
    ok(killed.inside + killed.whole <= 8);
  });

  it('says so when the disk takes no more, and leaves the store as it was', async () => {
    using program = await DeltascopeProgram.build();
    const file = join(folder.path, 'sizes.hg');
    hg(repository('sizes'), ['bundle', '-q', '--all', '-t', 'none-v2', file]);
    const before = storeOf(clone);
    // For root no folder is read-only, so a limit on the size of files stands for a disk that is full.
    const command = 'ulimit -f 64; exec "$0" "$@"';
    const args = [command, process.execPath, program.script, 'unbundle', '-R', clone, file];
    const run = spawnSync('bash', ['-c', ...args], { env: program.environment });
    equal(run.status, 1);
    match(run.stderr.toString(), /^destination: .*larger than this disk allows/m);
    deepEqual(storeOf(clone), before);
  });

  it('says so where the store may not be written to', async () => {
    using program = await DeltascopeProgram.build();
    using folder = temporaryFolder('read-only');
    const root = join(folder.path, 'clone');
    cpSync(clone, root, { recursive: true });
    const before = storeOf(root);
    const folders = [root, ...readdirSync(root, { recursive: true, withFileTypes: true }).filter(isFolder).map(pathOf)];
    for (const path of folders) chmodSync(path, 0o555);
    // For root no folder is read-only, unless it gives up what makes it root.
    const humbly = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-all', '--inh-caps', '-all'] : [];
    const [command, ...args] = [...humbly, process.execPath, program.script, 'pull', '-R', root, busy.root];
    const run = spawnSync(command, args, { env: program.environment });
    equal(run.status, 1);
    match(run.stderr.toString(), /^destination: .*(permission|not allow|may not|read-only)/im);
    for (const path of folders) chmodSync(path, 0o755);
    deepEqual(storeOf(root), before);
  });

  it('lets an hg wait that commits in the middle of it, and both changes are there', async () => {
    const root = join(folder.path, 'committed');
    cpSync(clone, root, { recursive: true });
    hg(root, ['update', '-q', '0']);
    writeFileSync(join(root, 'local'), 'local\n');
    await using server = await HgServer.start(busy.root);
    await using proxy = await SlowProxy.start(server.url, 200_000);
    let committing: ReturnType<typeof runHg> | undefined;
    const commit = () => (committing ??= runHg(['-R', root, 'commit', '-qAm', 'local', '-d', '0 0']));
    const summary = await engine.pull(
      { root, settings, source: proxy.url },
      { ...unattended, progress: (event) => event.type === 'phase' && event.phase === 'transfer' && void commit() },
    );
    const run = await commit();
    equal(run.code, 0, run.stderr);
    notEqual(summary.changesets.length, 0);
    equal(tryHg(root, ['verify', '-q']).code, 0);
    equal(hgText(root, ['log', '-r', 'tip', '-T', '{desc}']), 'local');
  });

  it('waits for an hg that writes, and both changes are there', async () => {
    await using server = await HgServer.start(busy.root);
    await using second = await HgServer.start(busy.root);
    const root = join(folder.path, 'shared');
    cpSync(clone, root, { recursive: true });
    hg(root, ['update', '-q', '0']);
    writeFileSync(join(root, 'local'), 'local\n');
    const committing = runHg(
      ['-R', root, 'commit', '-qAm', 'local', '-d', '0 0', '--config', 'hooks.pretxncommit=sleep 1'],
      {},
    );
    const pulls = [server, second].map(({ url }) => engine.pull({ root, settings, source: url }, unattended));
    const [run, ...summaries] = await Promise.all([committing, ...pulls]);
    equal(run.code, 0, run.stderr);
    notEqual(summaries[0].changesets.length + summaries[1].changesets.length, 0);
    equal(Math.min(...summaries.map(({ changesets }) => changesets.length)), 0);
    equal(tryHg(root, ['verify', '-q']).code, 0);
    equal(hgText(root, ['log', '-r', 'desc(local)', '-T', '{desc}']), 'local');
    ok(stateOf(root).includes(hgText(busy.root, ['log', '-r', 'tip', '-T', '{node}'])));
  });
});

const isFolder = (entry: Dirent) => entry.isDirectory();
const pathOf = (entry: Dirent) => join(entry.parentPath, entry.name);
