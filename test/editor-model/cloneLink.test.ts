import assert from 'node:assert/strict';
import { EngineError, type ErrorKind } from '../../src/engine/io/errors';
import { addressOfLink } from '../../src/editor/exchange/cloneLink';

const query = (address: string) => `url=${encodeURIComponent(address)}`;

describe('links that clone', () => {
  for (const address of [
    'https://example.org/repository',
    'http://127.0.0.1:8000/r#branch',
    'https://ada@example.org/r',
    'ssh://hg@example.org:22/r',
    'https://[::1]:8000/r',
    'https://bücher.example/r',
  ]) {
    it(`name ${address}`, () => assert.equal(addressOfLink('/clone', query(address)), address));
  }

  const refused: [string, ErrorKind][] = [
    ['file:///etc', 'unsupported'],
    ['/etc', 'unsupported'],
    [process.cwd(), 'unsupported'],
    ['.', 'unsupported'],
    ['javascript:alert(1)', 'unsupported'],
    ['git://example.org/r', 'unsupported'],
    ['ext::sh -c touch% /tmp/x', 'unsupported'],
    ['ssh://-oProxyCommand=touch%20x/r', 'protocol'],
    ['ssh://-oProxyCommand=x@example.org/r', 'protocol'],
    ['ssh://example.org%20-oProxyCommand=x/r', 'protocol'],
    ['ssh://$(touch x)/r', 'protocol'],
    ['https://-option/r', 'protocol'],
    ['https://', 'protocol'],
    ['https://ada:password@example.org/r', 'protocol'],
    ['https://example.org/r?token=1', 'protocol'],
    ['https://example.org/\u202Egro.live/r', 'protocol'],
    ['https://example.org/\nhttps://example.net/r', 'protocol'],
    ['https://exam\u200Bple.org/r', 'protocol'],
    [`https://example.org/${'r'.repeat(3000)}`, 'protocol'],
    ['', 'protocol'],
  ];
  for (const [address, kind] of refused) {
    it(`do not name ${JSON.stringify(address.slice(0, 60))}`, () => {
      assert.throws(
        () => addressOfLink('/clone', query(address)),
        (error) => error instanceof EngineError && error.kind === kind && error.advice !== undefined,
      );
    });
  }

  it('name one address, and do nothing else', () => {
    const address = query('https://example.org/r');
    for (const [path, text] of [
      ['/clone', ''],
      ['/clone', `${address}&${address}`],
      ['/pull', address],
      ['/clone/', address],
      ['', address],
    ]) {
      assert.throws(() => addressOfLink(path, text), EngineError);
    }
  });
});
