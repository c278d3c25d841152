import assert from 'node:assert/strict';
import type { CompressionName } from '../../../src/engine/compression/codec';
import { chooseForm, formHead, parseClientMedia } from '../../../src/engine/server/responseForm';

const all = '0.1 0.2 comp=zstd,zlib,none,bzip2 partial-pull';

/** The wish, what the client says, the server's engines; then the media type and the engine. */
const table: [boolean, string, CompressionName[], string, CompressionName][] = [
  // Without 0.2 media there is zlib alone, whatever anybody wishes.
  [true, '', ['zstd', 'zlib', 'none'], '0.1', 'zlib'],
  [false, '', ['zstd', 'zlib', 'none'], '0.1', 'zlib'],
  [false, '0.1 comp=none', ['zstd', 'zlib', 'none'], '0.1', 'zlib'],
  [true, '0.1 comp=zstd', ['zstd'], '0.1', 'zlib'],
  // A client of 0.2 that names no engines takes zlib and none.
  [true, '0.1 0.2', ['zstd', 'zlib', 'none'], '0.2', 'zlib'],
  [false, '0.1 0.2', ['zstd', 'zlib', 'none'], '0.2', 'none'],
  // What is best left as it is goes as it is, in every order of preference.
  [false, all, ['zstd', 'zlib', 'none'], '0.2', 'none'],
  [false, all, ['zlib'], '0.2', 'none'],
  [false, '0.2 comp=none', ['zstd', 'zlib'], '0.2', 'none'],
  [false, '0.1 0.2 comp=zlib,none', ['zstd', 'zlib', 'none'], '0.2', 'none'],
  // Unless the client does not take it.
  [false, '0.2 comp=zstd,zlib', ['zstd', 'zlib', 'none'], '0.2', 'zstd'],
  [false, '0.2 comp=zlib', ['zstd', 'zlib', 'none'], '0.2', 'zlib'],
  // The rest goes in the first of the server's engines that the client takes.
  [true, all, ['zstd', 'zlib', 'none'], '0.2', 'zstd'],
  [true, all, ['zlib', 'zstd'], '0.2', 'zlib'],
  [true, all, ['zlib', 'none'], '0.2', 'zlib'],
  [true, '0.2 comp=zlib,none', ['zstd', 'zlib', 'none'], '0.2', 'zlib'],
  [true, '0.2 comp=bzip2,zstd', ['zlib', 'zstd'], '0.2', 'zstd'],
  // Nothing in common.
  [true, '0.2 comp=none', ['zstd', 'zlib'], '0.2', 'none'],
  [true, '0.2 comp=bzip2', ['zstd', 'zlib'], '0.1', 'zlib'],
  [false, '0.2 comp=bzip2', ['zstd', 'zlib'], '0.1', 'zlib'],
  [true, '0.2 comp=quantum,none', ['zstd'], '0.2', 'none'],
  [true, all, ['none'], '0.1', 'zlib'],
];

describe('the form of a response', () => {
  for (const [preferCompressed, words, server, media, engine] of table) {
    const wish = preferCompressed ? 'compressed' : 'as it is';
    it(`${wish}, to "${words}", from ${server.join(' ')}: ${engine} over ${media}`, () => {
      const form = chooseForm({ preferCompressed }, parseClientMedia(words), server);
      assert.deepEqual([form.mediaType, form.engine], [`application/mercurial-${media}`, engine]);
      const head = media === '0.1' ? '' : String.fromCharCode(engine.length) + engine;
      assert.equal(Buffer.from(formHead(form)).toString('latin1'), head);
    });
  }
});
