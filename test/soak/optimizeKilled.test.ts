import { ok } from 'node:assert/strict';
import { DeltascopeProgram } from '../fixtures/deltascopeProgram';
import { temporaryFolder } from '../fixtures/gitRepository';
import { killOptimize } from '../fixtures/killedOptimize';
import { buildRepositoryToOptimize } from '../fixtures/optimizeRepository';
import { pseudoRandom } from '../fixtures/sourceHistory';

describe('optimising a store', function () {
  this.timeout(20 * 60_000);

  it('leaves the old store or the new one, whole, killed at 50 moments', async () => {
    using folder = temporaryFolder('optimize-killed');
    using program = await DeltascopeProgram.build();
    const original = await buildRepositoryToOptimize(folder.path);
    const kills = await killOptimize(program, original, folder.path, 50, pseudoRandom(4));
    console.log(`      ${kills.old} old, ${kills.new} new, ${kills.between} killed between the two`);
    ok(kills.old > 0 && kills.new > 0 && kills.between > 0);
  });
});
