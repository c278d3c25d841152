import assert from 'node:assert/strict';
import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { makeSampleRepository } from '../../scripts/sampleRepository';
import { runHg, temporaryDirectory } from '../fixtures/hg';
import { hg, hgText } from '../fixtures/hgCommand';

describe('the repository of the demo', () => {
  it('is one that hg finds nothing wrong with, with all that it promises, the same each time', async () => {
    await using folder = await temporaryDirectory('sample');
    const [one, other] = ['one', 'other'].map((name) => join(folder.path, name));
    await makeSampleRepository(one);
    await makeSampleRepository(other);
    const verified = await runHg(['verify', '-R', one]);
    assert.equal(verified.code, 0, verified.stderr);
    assert.equal(verified.stderr, '');
    const log = (root: string, ...args: string[]) => hgText(root, ['log', '-T', '{node}\n', ...args]);
    assert.equal(log(one), log(other));
    assert.deepEqual(hgText(one, ['tags', '-q']).split('\n'), ['tip', 'v4.0', 'v3.0', 'v2.0', 'v1.0']);
    assert.deepEqual(hgText(one, ['branches', '-T', '{branch}\n']).split('\n'), ['default', 'stable']);
    assert.equal(log(one, '-r', 'next'), log(one, '-r', 'default'));
    assert.equal(log(one, '-r', 'merge()').split('\n').length, 43);
    hg(one, ['update', '-q']);
    assert.equal(hgText(one, ['status']), '');
    assert.equal(readlinkSync(join(one, 'report')), 'tools/report.sh');
    assert.match(hgText(one, ['status', '--copies', '--change', 'first(desc("Give the first"))']), /page1\.txt\n/);
  });
});
