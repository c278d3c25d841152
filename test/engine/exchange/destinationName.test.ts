import { equal } from 'node:assert/strict';
import { destinationName } from '../../../src/engine/exchange/destinationName';

const names: [string, string | undefined][] = [
  ['https://example.org/repos/sample', 'sample'],
  ['https://example.org/repos/sample/', 'sample'],
  ['https://me@example.org:8443/sample#stable', 'sample'],
  ['ssh://example.org//srv/hg/sample', 'sample'],
  ['http://example.org/with%20space', 'with space'],
  ['http://example.org/100%', '100%'],
  ['/srv/hg/sample', 'sample'],
  ['http://example.org', undefined],
  ['http://example.org:8000/', undefined],
  ['http://127.0.0.1/#branch', undefined],
  ['http://example.org/..', 'repository'],
  ['http://example.org/%2e%2e', 'repository'],
  ['http://example.org/a%2fb', 'a_b'],
  ['http://example.org/c:%5cx', 'c__x'],
  ['http://example.org/nul%00', 'nul_'],
];

describe('the name of a clone', () => {
  for (const [source, name] of names) {
    it(`of ${source} is ${name ?? 'not known'}`, () => equal(destinationName(source), name));
  }
});
