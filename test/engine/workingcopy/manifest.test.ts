import { deepEqual, equal, throws } from 'node:assert/strict';
import { Manifest } from '../../../src/engine/workingcopy/manifest';
import { hg, hgText } from '../../fixtures/hgCommand';
import { repository, type RepositoryKind } from '../../fixtures/repositories';
import { pseudoRandom } from '../../fixtures/sourceHistory';

const manifestText = (kind: RepositoryKind) =>
  hg(repository(kind), [
    'debugdata',
    '-m',
    hgText(repository(kind), ['log', '-r', 'tip', '-T', '{manifest}']).split(':')[0],
  ]);

/** What hg says of the tip's files: lines of node, mode, kind and path, as bytes in Latin-1. */
const hgFiles = (kind: RepositoryKind) =>
  hg(repository(kind), ['manifest', '--debug', '-r', 'tip']).toString('latin1').trimEnd().split('\n');

const modes = { plain: '644   ', executable: '755 * ', symlink: '644 @ ' };

describe('a manifest', () => {
  for (const kind of ['manyFiles', 'nastyNames', 'modes', 'renames'] as const) {
    it(`of the repository ${kind} has the files that hg lists`, () => {
      const manifest = Manifest.parse(manifestText(kind), 'manifest');
      const files = Array.from(
        { length: manifest.length },
        (_, index) => `${manifest.node(index)} ${modes[manifest.kind(index)]}${manifest.path(index)}`,
      );
      deepEqual(files, hgFiles(kind));
    });

    it(`of the repository ${kind} finds each of its files, and no other`, () => {
      const manifest = Manifest.parse(manifestText(kind), 'manifest');
      for (let index = 0; index < manifest.length; index++) {
        equal(manifest.find(manifest.path(index)), index);
        equal(manifest.find(`${manifest.path(index)}\x01`), -1);
      }
      equal(manifest.find(''), -1);
      equal(manifest.find('\xff'), -1);
    });
  }

  it('may be empty', () => {
    const manifest = Manifest.parse(new Uint8Array(0), 'manifest');
    equal(manifest.length, 0);
    equal(manifest.find('a'), -1);
  });

  const node = 'ab'.repeat(20);
  const bad = {
    'without node': 'a\0\n',
    'without NUL': `a${node}\n`,
    'without path': `\0${node}\n`,
    'with an unknown flag': `a\0${node}z\n`,
    'with two flags': `a\0${node}xl\n`,
    'with a node in upper case': `a\0${node.toUpperCase()}\n`,
    'with a short node': `a\0${node.slice(1)}\n`,
    'out of order': `b\0${node}\na\0${node}\n`,
    'with a path twice': `a\0${node}\na\0${node}\n`,
    'without the last line end': `a\0${node}`,
  };
  for (const [how, text] of Object.entries(bad)) {
    it(`is refused ${how}`, () => throws(() => Manifest.parse(Buffer.from(text), 'manifest'), { kind: 'corrupt' }));
  }

  it('of a tree is refused by name', () => {
    throws(() => Manifest.parse(Buffer.from(`a\0${node}t\n`), 'manifest'), {
      kind: 'unsupported',
      subject: 'treemanifest',
    });
  });

  it('is refused wherever it is cut, and is parsed or refused with any bit turned', () => {
    const text = manifestText('modes');
    for (let length = 1; length < text.length; length++) {
      if (text[length - 1] === 0x0a) continue;
      throws(() => Manifest.parse(text.subarray(0, length), 'manifest'), { kind: 'corrupt' });
    }
    const random = pseudoRandom(1);
    for (let turn = 0; turn < 2000; turn++) {
      const damaged = Buffer.from(text);
      damaged[Math.floor(random() * text.length)] ^= 1 << Math.floor(random() * 8);
      try {
        Manifest.parse(damaged, 'manifest');
      } catch (error) {
        equal(['corrupt', 'unsupported'].includes((error as { kind: string }).kind), true);
      }
    }
  });
});
