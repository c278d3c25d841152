import assert from 'node:assert/strict';
import { join } from 'node:path';
import { orderedFiles, revlogOrders, rowsOf } from '../../src/editor/chains/revlogOrder';
import { findingsAbout, healthOf } from '../../src/editor/chains/health';
import { partsOf, repositoryNode, revlogsOf } from '../../src/editor/chains/repositoryNodes';
import { unattended } from '../../src/engine/io/operation';
import { surveyRepository } from '../../src/engine/survey/surveyRepository';
import { nameOfIndex } from '../../src/engine/survey/revlogSource';
import { chainRepository } from '../fixtures/chainRepositories';
import { hgText } from '../fixtures/hgCommand';

describe('the files of a repository, for the tree', () => {
  it('are all that hg tracks, sorted by what is asked for', async () => {
    const root = await chainRepository('merges');
    const { revlogs } = surveyRepository(root, unattended);
    const weights = { size: revlogs.diskBytes, waste: revlogs.waste, longestChain: revlogs.longestChains };
    for (const order of revlogOrders) {
      const rows = orderedFiles(revlogs, order, '');
      assert.deepEqual(
        rows.map((at) => revlogs.names[at]).sort(),
        hgText(root, ['manifest', '--all']).split('\n').sort(),
      );
      const weight = rows.map((at) => weights[order][at]);
      assert.deepEqual(
        weight,
        [...weight].sort((one, other) => other - one),
      );
    }
    assert.equal(revlogs.names[orderedFiles(revlogs, 'size', '')[0]], 'text');
  });

  it('are filtered by all words, whatever their case', async () => {
    const { revlogs } = surveyRepository(await chainRepository('treeManifests'), unattended);
    const named = (filter: string) => orderedFiles(revlogs, 'size', filter).map((at) => revlogs.names[at]);
    assert.ok(named('b FILE1').length > 5);
    assert.ok(named('b FILE1').every((name) => name.startsWith('a/B/c/file1')));
    assert.deepEqual(named('no such file'), []);
  });

  it('stand beside changelog and manifests, all of them where there is a tree', async () => {
    const root = await chainRepository('treeManifests');
    const survey = surveyRepository(root, unattended);
    const parts = partsOf(repositoryNode({ kind: 'hg', root }), survey, { order: 'size', filter: '' });
    const manifests = parts.find((part) => part.kind === 'group' && part.group === 'manifests');
    assert.ok(manifests?.kind === 'group');
    assert.equal(manifests.rows.length, 1 + rowsOf(survey.revlogs, 'tree').length);
    assert.equal(revlogsOf(manifests, 2)[0].source.name, 'manifest');
    assert.equal(new Set(parts.map(({ id }) => id)).size, parts.length);
  });

  it('are as healthy as the gravest of their findings', () => {
    assert.equal(healthOf([]), 'healthy');
    assert.equal(healthOf([{ severity: 'info', message: '' }]), 'notable');
    assert.equal(
      healthOf([
        { severity: 'info', message: '' },
        { severity: 'error', message: '' },
      ]),
      'damaged',
    );
  });

  it('have the findings about them, and the repository its own', async () => {
    const survey = surveyRepository(await chainRepository('noGeneraldelta'), unattended);
    assert.ok(findingsAbout(survey).some(({ message }) => message.includes('before 2011')));
    assert.equal(findingsAbout(survey, 'no such file').length, 0);
  });

  it('are told by their index alone', async () => {
    const root = await chainRepository('treeManifests');
    const survey = surveyRepository(root, unattended);
    survey.revlogs.paths.forEach((path, at) =>
      assert.deepEqual(nameOfIndex(path), { name: survey.revlogs.names[at], repository: root }),
    );
    assert.deepEqual(nameOfIndex(join(root, 'elsewhere.i')), { name: 'elsewhere.i' });
  });
});
