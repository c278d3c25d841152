import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { decodeBatch, encodeBatch } from '../../../src/engine/wire/batch';
import { Capabilities } from '../../../src/engine/wire/capabilities';
import { offeredEngines, reasonForEngine } from '../../../src/engine/wire/compressionChoice';
import { argumentHeaders, encodeForm, getbundleArguments } from '../../../src/engine/wire/encodeArguments';
import { printable } from '../../../src/engine/io/printable';
import { defaultWireSettings } from '../../../src/engine/wire/wireSettings';
import { nullNode } from '../../../src/engine/revlog/node';

describe('arguments of commands', () => {
  it('are form-encoded in the order of their names', () => {
    equal(encodeForm({ b: "it's (a) * !", a: 'x y&z=ü%' }), 'a=x+y%26z%3D%C3%BC%25&b=it%27s+%28a%29+%2A+%21');
    equal(encodeForm({}), '');
  });

  it('are cut into headers whose lines are not longer than they may be', () => {
    const form = encodeForm({ nodes: 'a'.repeat(12_345) });
    for (const lineLength of [65, 100, 1024, 20_000]) {
      const headers = argumentHeaders(form, lineLength);
      const names = Object.keys(headers);
      deepEqual(
        names,
        names.map((_, at) => `X-HgArg-${at + 1}`),
      );
      ok(names.every((name) => `${name}: ${headers[name]}\r\n`.length <= lineLength));
      equal(Object.values(headers).join(''), form);
    }
    deepEqual(argumentHeaders('', 1024), {});
  });

  it('of getbundle are those that were given', () => {
    deepEqual(getbundleArguments({}), {});
    deepEqual(
      getbundleArguments({
        heads: [nullNode, nullNode],
        common: [nullNode],
        bundlecaps: ['HG20', 'bundle2=x'],
        listkeys: ['a', 'b'],
        cg: false,
        stream: true,
      }),
      {
        heads: `${nullNode} ${nullNode}`,
        common: nullNode,
        bundlecaps: 'HG20,bundle2=x',
        listkeys: 'a,b',
        cg: '0',
        stream: '1',
      },
    );
  });
});

describe('a batch', () => {
  it('escapes what separates', () => {
    const encoded = encodeBatch([
      { command: 'heads', args: {} },
      { command: 'known', args: { nodes: 'a:b,c;d=e', other: ':c' } },
    ]);
    equal(encoded, 'heads ;known nodes=a:cb:oc:sd:ee,other=:cc');
    deepEqual(decodeBatch('a:cb:oc:sd:ee;:cc;', 3), ['a:b,c;d=e', ':c', '']);
    throws(() => decodeBatch('a;b', 3), { kind: 'protocol' });
  });
});

describe('capabilities', () => {
  it('are words, some with values', () => {
    const capabilities = new Capabilities(
      'lookup httpheader=2048,x bundle2=HG20%0Achangegroup%3D01%2C02%0Aodd%253Dname%3Da%252Cb%0Astream%3Dv2 unbundle=\n',
    );
    ok(capabilities.has('lookup') && !capabilities.has('look'));
    equal(capabilities.value('lookup'), '');
    equal(capabilities.value('missing'), undefined);
    deepEqual(capabilities.list('unbundle'), []);
    equal(capabilities.argumentHeaderLength, 2048);
    deepEqual(Object.fromEntries(capabilities.bundle2), {
      HG20: [],
      changegroup: ['01', '02'],
      'odd=name': ['a,b'],
      stream: ['v2'],
    });
  });

  it('that make no sense count as not there', () => {
    for (const value of ['', '0', '-5', '12', 'x', '1e999', 'NaN']) {
      equal(new Capabilities(`httpheader=${value}`).argumentHeaderLength, 0, value);
    }
    equal(new Capabilities('stream').legacyStreamRequirements?.join(), 'revlogv1');
    equal(new Capabilities('__proto__=x').value('__proto__'), 'x');
    equal(new Capabilities('').has('constructor'), false);
    equal(new Capabilities('bundle2=%0A%%zz%0A%3D%3D').bundle2.size, 2);
  });
});

describe('the choice of an engine', () => {
  const server = new Capabilities('compression=zstd,zlib');

  it('leaves a stream the choice to stay as it is', () => {
    deepEqual(offeredEngines(defaultWireSettings, false), ['zstd', 'zlib', 'none', 'bzip2']);
    const settings = { ...defaultWireSettings, compressionPreference: ['zlib'] as const };
    deepEqual(offeredEngines(settings, false), ['zlib']);
    deepEqual(offeredEngines(settings, true), ['zlib', 'none']);
  });

  it('is explained', () => {
    const reason = (...args: Parameters<typeof reasonForEngine>) => reasonForEngine(...args);
    equal(reason('none', true, ['zstd', 'none'], server), 'stream clone: the server prefers to send it uncompressed');
    equal(reason('none', false, ['zstd', 'none'], server), 'the server prefers to send it uncompressed');
    equal(reason('zstd', false, ['zstd', 'zlib'], server), 'the server offers zstd, and it is our first choice');
    equal(reason('zlib', false, ['bzip2', 'zlib'], server), 'zlib is the best that the server has of what we prefer');
    equal(reason('bzip2', false, ['zstd', 'bzip2'], server), 'the server chose bzip2');
    equal(
      reason('zstd', true, ['zstd', 'none'], server),
      'stream clone: the server offers zstd, and it is our first choice; it does not send streams uncompressed',
    );
  });
});

describe("a server's words", () => {
  it('are shown on one line, without what a terminal would obey, and not without end', () => {
    const sent = (words: string) => Buffer.from(words).toString('latin1');
    equal(printable(sent('abort:\r\n no\x1b[1m\u009b such\twörd.\n')), 'abort: no [1m such wörd');
    equal(printable('x'.repeat(1000)).length, 501);
    equal(printable(sent('evil\u202etxt')), 'evil txt');
  });
});
