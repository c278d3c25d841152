import assert from 'node:assert/strict';
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '../fixtures/hg';
import { cachedInstallation } from './cachedInstallation';

describe('an installation that is kept', () => {
  it('is made once, also when two want it at the same time', async () => {
    await using folder = await temporaryDirectory();
    const path = join(folder.path, 'kept');
    let times = 0;
    const install = () =>
      cachedInstallation(path, async (unfinished) => {
        times++;
        await writeFile(join(unfinished, 'file'), 'whole');
      });
    await Promise.all([install(), install()]);
    await install();
    assert.equal(times, 1);
    assert.equal(await readFile(join(path, 'file'), 'utf8'), 'whole');
  });

  it('starts over when it failed', async () => {
    await using folder = await temporaryDirectory();
    const path = join(folder.path, 'kept');
    await assert.rejects(
      cachedInstallation(path, async (unfinished) => {
        await writeFile(join(unfinished, 'left over'), '');
        throw new Error('no network');
      }),
      /no network/,
    );
    await assert.rejects(readFile(join(path, 'left over')));
    await cachedInstallation(path, (unfinished) => writeFile(join(unfinished, 'file'), 'whole'));
    await assert.rejects(readFile(join(path, 'left over')));
    assert.equal(await readFile(join(path, 'file'), 'utf8'), 'whole');
  });

  it('starts over after one that was killed', async () => {
    await using folder = await temporaryDirectory();
    const path = join(folder.path, 'kept');
    await mkdir(`${path}.unfinished`);
    await writeFile(join(`${path}.unfinished`, 'left over'), '');
    await writeFile(`${path}.lock`, '');
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(`${path}.lock`, longAgo, longAgo);
    await cachedInstallation(path, (unfinished) => writeFile(join(unfinished, 'file'), 'whole'));
    await assert.rejects(readFile(join(path, 'left over')));
    assert.equal(await readFile(join(path, 'file'), 'utf8'), 'whole');
  });
});
