import { RepositoryWriter, type Changeset, type FileChange } from '../test/fixtures/repositoryWriter';
import { pseudoRandom } from '../test/fixtures/sourceHistory';

/** How much history the sample has. */
const rounds = 40;
const commitsPerRound = 7;
const people = ['Ada <ada@example.com>', 'Grace <grace@example.com>', 'Linus <linus@example.com>'];

/**
 * A repository of a few hundred revisions to try things on: two branches, topics that are merged, renames, copies, tags, a
 * bookmark, executables, a symbolic link, and a table that grows. The same each time; nothing else has to be installed.
 */
export async function makeSampleRepository(path: string): Promise<void> {
  const writer = await RepositoryWriter.create(path);
  const history = new SampleHistory(writer);
  let trunk = history.begin();
  for (let round = 1; round <= rounds; round++) trunk = history.round(round, trunk);
  const next = history.end(trunk);
  writer.close(new Map([['next', next]]));
}

class SampleHistory {
  private readonly random = pseudoRandom(7);
  private time = 1_600_000_000;
  private readonly table = ['station,time,level'];
  private readonly pages = new Map<string, string>();
  private readonly tags: string[] = [];
  private changes = new Map<string, FileChange>();
  /** The branch of releases, and where it last came from the trunk. */
  private stable: { tip: Changeset; from: Changeset } | undefined;

  constructor(private readonly writer: RepositoryWriter) {}

  begin(): Changeset {
    this.write('README.md', '# Tides\n\nLevels of the sea at twelve stations, and programs that read them.\n');
    this.changes.set('tools/report.sh', { text: report, flag: 'x' });
    this.changes.set('report', { text: 'tools/report.sh', flag: 'l' });
    for (let station = 0; station < 12; station++)
      for (let page = 0; page < 8; page++) this.writePage(`stations/${station}/page${page}.txt`, this.page());
    return this.commit('Begin with twelve stations');
  }

  /** A topic of some commits, work beside it, and a merge. */
  round(round: number, base: Changeset): Changeset {
    let topic = base;
    for (let step = 1; step < commitsPerRound - 1; step++) {
      this.write(`topics/topic${round}/note${step % 3}.txt`, this.page());
      topic = this.commit(`Topic ${round}: step ${step}`, topic);
    }
    this.measure();
    let trunk = this.commit(`Measure again (${round})`, base);
    trunk = this.commit(`Merge topic ${round}`, trunk, { merge: { with: topic, base } });
    if (round % 8 === 0) trunk = this.rename(round, trunk);
    if (round % 10 === 0) this.release(round / 10, trunk);
    return trunk;
  }

  end(trunk: Changeset): Changeset {
    this.measure();
    return this.commit('Measure until today', trunk);
  }

  private rename(round: number, trunk: Changeset): Changeset {
    const folder = `stations/${round / 8}`;
    const text = this.pages.get(`${folder}/page1.txt`) ?? '';
    this.changes.set(`${folder}/first page.txt`, { text, copyOf: `${folder}/page1.txt` });
    this.changes.set(`${folder}/page1.txt`, 'removed');
    this.changes.set(`tools/report${round}.sh`, { text: report, flag: 'x', copyOf: 'tools/report.sh' });
    return this.commit('Give the first page a name of its own, and a report its copy', trunk);
  }

  private release(number: number, trunk: Changeset): void {
    const branch = 'stable';
    let tip = trunk;
    if (this.stable !== undefined) {
      const merge = { with: trunk, base: this.stable.from };
      tip = this.commit(`Take what is new for ${number}.0`, this.stable.tip, { merge, branch });
    }
    this.write('RELEASE', `${number}.0\n`);
    const released = this.commit(`Release ${number}.0`, tip, { branch });
    this.tags.push(`${released.node} v${number}.0\n`);
    this.write('.hgtags', this.tags.join(''));
    const tagged = this.commit(`Tag ${number}.0`, released, { branch });
    this.stable = { tip: tagged, from: trunk };
  }

  private measure(): void {
    for (let row = 0; row < 200; row++)
      this.table.push(`${row % 12},${this.time + row},${(this.random() * 9).toFixed(3)}`);
    this.write('levels.csv', `${this.table.join('\n')}\n`);
    const changed = `stations/${this.below(12)}/page${2 + this.below(6)}.txt`;
    this.writePage(changed, `${this.pages.get(changed) ?? ''}${this.line()}\n`);
  }

  private page(): string {
    return Array.from({ length: 20 }, () => `${this.line()}\n`).join('');
  }

  private line(): string {
    return Array.from({ length: 8 }, () => words[this.below(words.length)]).join(' ');
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  private writePage(name: string, text: string): void {
    this.pages.set(name, text);
    this.write(name, text);
  }

  private write(name: string, text: string): void {
    this.changes.set(name, { text });
  }

  private commit(
    message: string,
    parent?: Changeset,
    more: { merge?: { with: Changeset; base: Changeset }; branch?: string } = {},
  ): Changeset {
    this.time += 3600;
    const { changes } = this;
    this.changes = new Map();
    return this.writer.commit({ parent, changes, user: people[this.below(3)], time: this.time, message, ...more });
  }
}

const report = '#!/bin/sh\nsort -t, -k3 levels.csv\n';
const words = 'tide ebb flood quay lock buoy gauge mean high low spring neap harbour channel wind level'.split(' ');
