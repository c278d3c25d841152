import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { zstdReady } from '../../../src/engine/compression/block';
import { ChangelogGraph, readGraphColumns } from '../../../src/engine/exchange/changelogGraph';
import { discover, type Discovered } from '../../../src/engine/exchange/discovery';
import { unattended } from '../../../src/engine/io/operation';
import { nullNode, nullRev, type Node } from '../../../src/engine/revlog/node';
import { hashText } from '../../../src/engine/revlog/nodeOfText';
import { deltaSettings } from '../../../src/engine/revlog/policy/deltaSettings';
import { Revlog } from '../../../src/engine/revlog/revlog';
import { RevlogWriter } from '../../../src/engine/revlog/revlogWriter';
import { createRepository } from '../../../src/engine/store/newRepository';
import { requirementsOfClone } from '../../../src/engine/store/requirements';
import { parseLocation } from '../../../src/engine/wire/location';
import { openPeer } from '../../../src/engine/wire/openPeer';
import { defaultWireSettings } from '../../../src/engine/wire/wireSettings';
import { HgServer, temporaryDirectory, type TemporaryDirectory } from '../../fixtures/hg';
import { hgText } from '../../fixtures/hgCommand';

const shared = 100_000;
const requirements = requirementsOfClone(['revlogv1', 'generaldelta', 'sparserevlog']);

describe('discovery', function () {
  this.timeout(180_000);
  let folder: TemporaryDirectory;
  let base: string;
  before(async () => {
    await zstdReady;
    folder = await temporaryDirectory('discovery');
    base = join(folder.path, 'base');
    createRepository(base, { requirements });
    // A long line with a head left behind every 10,000 changesets.
    addChangesets(base, (number, nodes) =>
      number > 0 && number % 10_000 === 0 ? nodes[number - 3] : nodes[number - 1],
    );
  });
  after(() => folder.remove());

  /** A copy of the history, with so many changesets of its own on top of each of these. */
  const copyWith = (name: string, tops: readonly number[], each: number) => {
    const root = join(folder.path, name);
    cpSync(base, root, { recursive: true });
    for (const top of tops) addChangesets(root, (number, nodes) => (number === 0 ? nodes[top] : undefined), each, name);
    return root;
  };

  const find = async (local: string, remote: string): Promise<Discovered> => {
    await using server = await HgServer.start(remote);
    const peer = await openPeer(parseLocation(server.url), defaultWireSettings, unattended);
    using changelog = Revlog.open(join(local, '.hg/store/00changelog.i'));
    try {
      return await discover(new ChangelogGraph(readGraphColumns(changelog)), peer, unattended);
    } finally {
      await peer.close();
    }
  };

  it(`takes few questions on ${shared} changesets when a few heads differ`, async () => {
    const local = copyWith('local', [shared - 1, 50_000, 12_345], 40);
    const remote = copyWith('remote', [shared - 1, 77_777], 40);
    const { common, isIncoming, roundTrips } = await find(local, remote);
    assert.ok(isIncoming);
    assert.ok(roundTrips <= 6, `${roundTrips} round trips`);
    const ours = new Set(hgText(base, ['log', '-r', 'head()', '-T', '{node}\n']).split('\n'));
    assert.deepEqual(new Set(common), ours);
  });

  it('takes one question when nothing is new, or all of ours is there', async () => {
    const ahead = copyWith('ahead', [shared - 1], 5);
    assert.equal((await find(ahead, base)).roundTrips, 1);
    assert.equal((await find(ahead, base)).isIncoming, false);
    const behind = await find(base, ahead);
    assert.equal(behind.roundTrips, 1);
    assert.equal(behind.isIncoming, true);
  });
});

/**
 * Adds changesets without files to a changelog, each on what `parentOf` says, by its number among them and the nodes that
 * are there; on the one before where it says nothing.
 */
function addChangesets(
  root: string,
  parentOf: (number: number, nodes: readonly Node[]) => Node | undefined,
  count = shared,
  what = 'shared',
): void {
  const store = join(root, '.hg/store');
  const paths = { index: join(store, '00changelog.i'), chunks: join(store, '00changelog.d') };
  const settings = {
    ...deltaSettings(requirements, new Map()),
    isGeneraldelta: false,
    isSparse: false,
    maxChainLength: 0,
  };
  using changelog = RevlogWriter.open(paths, settings);
  const nodes = Array.from({ length: changelog.length }, (_, rev) => changelog.node(rev as never));
  let before: Node = nullNode;
  for (let number = 0; number < count; number++) {
    const parent = parentOf(number, nodes) ?? before;
    const text = Buffer.from(`${nullNode}\ntest\n${nodes.length} 0\n\n${what}`);
    const node = hashText(parent, nullNode, text);
    const p1 = changelog.find(parent) ?? nullRev;
    changelog.addRevision({ node, p1, p2: nullRev, linkrev: changelog.length, text });
    nodes.push(node);
    before = node;
  }
  changelog.close();
}
