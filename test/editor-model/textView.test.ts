import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { hexDump, mostHex, viewText } from '../../src/editor/chains/textView';

describe('the text of a revision, for the editor', () => {
  it('is shown as it is, with a mark at its beginning, and cut inside a letter', () => {
    const bytes = Buffer.from('\ufeffgrün\n');
    assert.deepEqual(viewText(bytes, bytes.length, false), { text: '\ufeffgrün\n', shown: bytes.length, isHex: false });
    assert.equal(viewText(Buffer.from('grü').subarray(0, 3), 100, false).text, 'gr');
  });

  it('keeps the zero bytes of manifests', () => {
    assert.equal(viewText(Buffer.from('a\0b\n'), 4, true).text, 'a\0b\n');
  });

  it('is dumped when it is none', () => {
    assert.equal(viewText(Buffer.from('a\0b'), 3, false).isHex, true);
    assert.equal(viewText(Uint8Array.of(0xff, 0xfe), 2, false).isHex, true);
    // A letter that ends early is no text, unless the text goes on.
    assert.equal(viewText(Buffer.from('grü').subarray(0, 3), 3, false).isHex, true);
    assert.equal(viewText(new Uint8Array(mostHex + 1), mostHex + 1, false).shown, mostHex);
  });

  it('is dumped with the values that od gives', () => {
    const bytes = Uint8Array.from({ length: 300 }, (_, at) => (at * 7) & 0xff);
    const dumped = execFileSync('od', ['-A', 'n', '-t', 'x1', '-v'], { input: bytes }).toString();
    const values = hexDump(bytes)
      .split('\n')
      .map((line) => line.slice(10, 58));
    assert.deepEqual(values.join(' ').trim().split(/ +/), dumped.trim().split(/\s+/));
    assert.equal(hexDump(Buffer.from('Aa\n')), `00000000  41 61 0a${' '.repeat(40)}  Aa.\n`);
  });
});
