import assert from 'node:assert/strict';
import { EventLoopProbe } from '../testbed/eventLoopProbe';
import { Workbench } from '../testbed/workbench/workbench';

describe('the probe of the extension host', () => {
  it('tells how long the event loop was held while something was done in the editor', async () => {
    await using probe = await EventLoopProbe.create();
    await using workbench = await Workbench.open({ extensions: [probe.extension], env: probe.env });
    const delay = await probe.during(async () => {
      await workbench.runCommand('View: Toggle Output');
      await workbench.page.locator('.part.panel .output-view').waitFor();
    });
    assert.ok(delay.samples > 0);
    assert.ok(delay.p50 <= delay.p99 && delay.p99 <= delay.p999 && delay.p999 <= delay.max);
  });
});
