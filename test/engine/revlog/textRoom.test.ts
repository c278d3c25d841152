import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { zstdReady } from '../../../src/engine/compression/block';
import { nullNode, nullRev, type Node, type Rev } from '../../../src/engine/revlog/node';
import { hashText } from '../../../src/engine/revlog/nodeOfText';
import { OrderedTexts } from '../../../src/engine/revlog/orderedTexts';
import { deltaSettings } from '../../../src/engine/revlog/policy/deltaSettings';
import { Revlog } from '../../../src/engine/revlog/revlog';
import { RevlogWriter } from '../../../src/engine/revlog/revlogWriter';
import { TextRoom } from '../../../src/engine/revlog/textRoom';
import { wholeAsDelta } from '../../../src/engine/revlog/diff';
import { temporaryFolder } from '../../fixtures/gitRepository';

/** So short that many texts wait to be written at once. */
const textLength = 20_000;

describe('memory of texts that is used again', () => {
  before(() => zstdReady);

  it('leaves a text as it is until four more were dropped, and takes no memory of others', () => {
    const room = new TextRoom();
    const first = room.take(textLength);
    room.dropped(first);
    room.dropped(Buffer.allocUnsafeSlow(textLength));
    for (let more = 0; more < 4; more++) {
      const next = room.take(textLength);
      assert.notEqual(next.buffer, first.buffer);
      room.dropped(next);
    }
    assert.equal(room.take(textLength).buffer, first.buffer);
    assert.equal(room.take(100).length, 100);
  });

  it('writes and reads what comes as deltas, also what is stored as it is', () => {
    using folder = temporaryFolder('room');
    const paths = { index: join(folder.path, 'x.i'), chunks: join(folder.path, 'x.d') };
    const requirements = new Set(['generaldelta', 'sparserevlog', 'revlog-compression-zstd']);
    const texts = Array.from({ length: 150 }, (_, at) => {
      // What begins with a zero and cannot be compressed is its own chunk.
      const text = at % 3 === 0 ? randomBytes(textLength) : Buffer.alloc(textLength, `line ${at}\n`);
      text[0] = 0;
      return text;
    });
    const writer = RevlogWriter.open(paths, deltaSettings(requirements, new Map()));
    let before = { node: nullNode, rev: nullRev };
    const nodes: Node[] = [];
    for (const [linkrev, text] of texts.entries()) {
      const node = hashText(before.node, nullNode, text);
      const delta = { base: nullRev, bytes: wholeAsDelta(text) };
      const rev = writer.addRevision({ node, p1: before.rev, p2: nullRev, linkrev, delta });
      before = { node, rev };
      nodes.push(node);
    }
    writer.close();
    using revlog = Revlog.open(paths.index);
    const ordered = new OrderedTexts(revlog);
    for (const [rev, text] of texts.entries()) {
      assert.equal(revlog.node(rev as Rev), nodes[rev]);
      assert.ok(Buffer.from(ordered.read(rev as Rev).text).equals(text));
      assert.ok(Buffer.from(revlog.text(rev as Rev)).equals(text));
    }
  });
});
