import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hg } from '../test/fixtures/hgCommand';
import { HgCommandServer } from '../test/fixtures/hgCommandServer';
import { pseudoRandom } from '../test/fixtures/sourceHistory';

/** How much history the sample has. */
const rounds = 40;
const commitsPerRound = 7;
const people = ['Ada <ada@example.com>', 'Grace <grace@example.com>', 'Linus <linus@example.com>'];

/**
 * A repository of a few hundred revisions to try things on: two branches, topics that are merged, renames, copies, tags, a
 * bookmark, executables, a symbolic link, and a table that grows. The same each time; made by the real `hg`.
 */
export async function makeSampleRepository(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  hg(dirname(path), ['init', path]);
  const server = await HgCommandServer.start(path, '--cwd', path);
  try {
    const history = new SampleHistory(path, server);
    await history.begin();
    for (let round = 1; round <= rounds; round++) await history.round(round);
    await history.end();
  } finally {
    await server.stop();
  }
}

class SampleHistory {
  private readonly random = pseudoRandom(7);
  private time = 1_600_000_000;
  private readonly table = ['station,time,level'];

  constructor(
    private readonly root: string,
    private readonly server: HgCommandServer,
  ) {}

  async begin(): Promise<void> {
    await this.write('README.md', '# Tides\n\nLevels of the sea at twelve stations, and programs that read them.\n');
    await this.write('tools/report.sh', '#!/bin/sh\nsort -t, -k3 "$(dirname "$0")/../levels.csv"\n');
    await this.makeExecutable('tools/report.sh');
    if (process.platform !== 'win32') await symlink('tools/report.sh', join(this.root, 'report'));
    for (let station = 0; station < 12; station++)
      for (let page = 0; page < 8; page++) await this.write(`stations/${station}/page${page}.txt`, this.page());
    await this.commit('Begin with twelve stations');
  }

  /** A topic of some commits, work beside it, and a merge. */
  async round(round: number): Promise<void> {
    const trunk = await this.here();
    for (let step = 1; step < commitsPerRound - 1; step++) {
      await this.write(`topics/topic${round}/note${step % 3}.txt`, this.page());
      await this.commit(`Topic ${round}: step ${step}`);
    }
    const topic = await this.here();
    await this.server.run('update', '-q', '-r', trunk);
    await this.measure();
    await this.commit(`Measure again (${round})`);
    await this.server.run('merge', '-q', '-r', topic);
    await this.commit(`Merge topic ${round}`);
    if (round % 8 === 0) await this.rename(round);
    if (round % 10 === 0) await this.release(round / 10);
  }

  async end(): Promise<void> {
    await this.measure();
    await this.commit('Measure until today');
    await this.server.run('bookmark', '-r', 'tip', 'next');
    // The served repository needs no files: what clones of it have comes from its store.
    await this.server.run('update', '-q', 'null');
  }

  private async rename(round: number): Promise<void> {
    await this.server.run('rename', '-q', `stations/${round / 8}/page1.txt`, `stations/${round / 8}/first page.txt`);
    await this.server.run('copy', '-q', 'tools/report.sh', `tools/report${round}.sh`);
    await this.commit('Give the first page a name of its own, and a report its copy');
  }

  private async release(number: number): Promise<void> {
    const trunk = await this.here();
    if (number === 1) await this.server.run('branch', '-q', 'stable');
    else {
      await this.server.run('update', '-q', 'stable');
      await this.server.run('merge', '-q', '-r', trunk);
    }
    await this.write('RELEASE', `${number}.0\n`);
    await this.commit(`Release ${number}.0`);
    await this.server.run('tag', '-d', `${++this.time} 0`, '-u', people[0], `v${number}.0`);
    await this.server.run('update', '-q', 'default');
  }

  private async measure(): Promise<void> {
    for (let row = 0; row < 200; row++)
      this.table.push(`${row % 12},${this.time + row},${(this.random() * 9).toFixed(3)}`);
    await this.write('levels.csv', `${this.table.join('\n')}\n`);
    const changed = `stations/${Math.floor(this.random() * 12)}/page${2 + Math.floor(this.random() * 6)}.txt`;
    const text = await readFile(join(this.root, changed), 'utf8');
    await this.write(changed, `${text}${this.line()}\n`);
  }

  private page(): string {
    return Array.from({ length: 20 }, () => `${this.line()}\n`).join('');
  }

  private line(): string {
    return Array.from({ length: 8 }, () => words[Math.floor(this.random() * words.length)]).join(' ');
  }

  private async write(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.root, name)), { recursive: true });
    await writeFile(join(this.root, name), text);
  }

  private async makeExecutable(name: string): Promise<void> {
    await chmod(join(this.root, name), 0o755);
  }

  private async commit(message: string): Promise<void> {
    this.time += 3600;
    const person = people[Math.floor(this.random() * people.length)];
    await this.server.run('commit', '-q', '-A', '-m', message, '-u', person, '-d', `${this.time} 0`);
  }

  private async here(): Promise<string> {
    return (await this.server.run('log', '-r', '.', '-T', '{node}')).toString();
  }
}

const words = 'tide ebb flood quay lock buoy gauge mean high low spring neap harbour channel wind level'.split(' ');
