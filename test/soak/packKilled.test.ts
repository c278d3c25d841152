import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allObjects, fastImport, git, initRepository, temporaryFolder } from '../fixtures/gitRepository';
import { killUnpacks } from '../fixtures/killedUnpacks';
import { sourceHistory } from '../fixtures/sourceHistory';
import { UnpackProgram } from '../fixtures/unpackProgram';

const kills = 50;

describe('unpacking', () => {
  it(`leaves a sound repository when it is killed at ${kills} moments`, async () => {
    using folder = temporaryFolder('killed');
    using program = await UnpackProgram.build();
    const source = initRepository(join(folder.path, 'source.git'));
    await fastImport(source, sourceHistory({ commits: 300, files: 60 }));
    const pack = join(folder.path, 'some.pack');
    writeFileSync(pack, git(source, ['pack-objects', '--stdout', '--all', '-q', '--delta-base-offset'], ''));
    const repository = initRepository(join(folder.path, 'target.git'));
    await killUnpacks(program, { pack, repository, objects: allObjects(source), kills });
  });
});
