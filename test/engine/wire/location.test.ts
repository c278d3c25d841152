import { deepEqual, throws } from 'node:assert/strict';
import { EngineError } from '../../../src/engine/io/errors';
import { parseLocation } from '../../../src/engine/wire/location';

describe('an address', () => {
  it('is taken apart', () => {
    const cases: [string, Partial<ReturnType<typeof parseLocation>>][] = [
      ['http://example.org', { address: 'http://example.org', shown: 'http://example.org/', scheme: 'http' }],
      ['https://example.org:8443/a/b/', { address: 'https://example.org:8443/a/b', scheme: 'https' }],
      ['  http://example.org/r  ', { address: 'http://example.org/r' }],
      [
        'http://me@example.org/r',
        { address: 'http://example.org/r', shown: 'http://me@example.org/r', username: 'me' },
      ],
      [
        'http://m%40e:p%3A%20w%C3%B6@example.org/r#stable',
        {
          address: 'http://example.org/r',
          shown: 'http://m%40e@example.org/r',
          username: 'm@e',
          password: 'p: wö',
          fragment: 'stable',
        },
      ],
      ['http://me:50%@example.org/r#f%', { password: '50%', fragment: 'f%' }],
      ['http://me:a@b@example.org/r', { username: 'me', password: 'a@b' }],
      ['http://example.org/r#with%20space', { fragment: 'with space', shown: 'http://example.org/r' }],
      ['http://example.org/r#', { fragment: undefined, shown: 'http://example.org/r' }],
      ['http://[::1]:8000/r', { address: 'http://[::1]:8000/r' }],
      ['HTTP://Example.ORG/Ü r', { address: 'http://example.org/%C3%9C%20r' }],
    ];
    for (const [source, expected] of cases) {
      const found = parseLocation(source);
      deepEqual({ ...found, ...expected }, found, source);
    }
  });

  it('that is none is refused without being repeated, for there may be a password in it', () => {
    for (const source of ['', 'nothing', '/some/path', 'http://', 'http://me:secret@', 'http://me:secret@exa mple/']) {
      throws(
        () => parseLocation(source),
        (error) => error instanceof EngineError && error.kind === 'protocol' && !error.message.includes('secret'),
        source,
      );
    }
    throws(() => parseLocation('http://example.org/?x=y'), { kind: 'protocol', message: /query/ });
  });

  it('of another kind is told by its scheme', () => {
    for (const scheme of ['file:', 'ftp:', 'git:']) {
      throws(() => parseLocation(`${scheme}//example.org/r`), { kind: 'unsupported', subject: scheme });
    }
  });
});
