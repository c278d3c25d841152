import { deepEqual, equal } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CloneAttempts, listing } from '../fixtures/cloneAttempts';
import { quick, type Failure } from '../fixtures/facing';
import { temporaryFolder } from '../fixtures/gitRepository';
import { handmadeRepository, handmadeRevlog, type HandmadeFile } from '../fixtures/handmadeRepository';
import { HgServer, runHg } from '../fixtures/hg';
import { recordedStream } from '../fixtures/recordedStream';
import { repository } from '../fixtures/repositories';
import {
  bundleOf,
  part,
  partHeader,
  storeFiles,
  streamServer,
  streamV1,
  streamV2,
  streamV2Payload,
  type StreamedFile,
} from '../fixtures/streams';

const cuts = 100;
const makers = { 1: streamV1, 2: streamV2 } as const;
const versions = [2, 1] as const;
const deliveries = ['cut', 'cutChunk', 'ended'] as const;

describe('a clone of a stream that is not as it should be leaves no folder', function () {
  this.timeout(120_000);
  let attempts: CloneAttempts;
  before(() => {
    attempts = new CloneAttempts();
  });
  after(() => attempts[Symbol.asyncDispose]());

  it('and is one that hg agrees with when it is as it should be', async () => {
    const source = repository('branches');
    for (const version of versions) {
      await using server = await streamServer(makers[version](storeFiles(source)), version);
      const parent = attempts.freshFolder();
      await attempts.clone(server.url, join(parent, 'clone'));
      deepEqual(listing(parent)[0], 'clone');
      const verify = await runHg(['-R', join(parent, 'clone'), 'verify', '-q']);
      deepEqual([verify.code, verify.stderr], [0, '']);
    }
  });

  for (const version of versions) {
    it(`when what hg serves as v${version} is cut, at ${cuts} places, with its length, in chunks and without`, async () => {
      await using hg = await HgServer.start(repository('branches'));
      const stream = await recordedStream(hg.url, version);
      {
        await using server = await streamServer(stream, version);
        await attempts.clone(server.url, join(attempts.freshFolder(), 'clone'));
      }
      for (let cut = 0; cut < cuts; cut++) {
        const length = Math.floor((stream.length * cut) / cuts);
        await using server = await streamServer(stream, version, deliveries[cut % deliveries.length], length);
        await attempts.fails(server.url, { kind: 'network', message: /ended|broke off|closed|cut/ });
      }
    });
  }

  const honest: StreamedFile[] = [
    { name: 'data/a.i', bytes: handmadeRevlog(Buffer.from('a')) },
    { name: 'data/b.i', bytes: handmadeRevlog(Buffer.from('b')) },
  ];
  const size = honest[0].bytes.length;
  const total = 2 * size;

  const lies: Record<string, { stream: (version: 1 | 2) => Uint8Array } & Failure> = {
    'with fewer files than it promised': {
      stream: (version) => makers[version](honest, { files: 3 }),
      kind: 'corrupt',
      message: /2 files; 3 were promised|no file entry|ended after/,
    },
    'with more files than it promised': {
      stream: (version) => makers[version](honest, { files: 1 }),
      kind: 'corrupt',
      message: /goes on|does not end|bytes of files/,
    },
    'with fewer bytes than it promised': {
      stream: (version) => makers[version](honest, { bytes: total + 1 }),
      kind: 'corrupt',
      message: /promised/,
    },
    'with more bytes than it promised': {
      stream: (version) => makers[version](honest, { bytes: total - 1 }),
      kind: 'corrupt',
      message: /content of length|more than/,
    },
    'with a file shorter than it is said to be': {
      stream: (version) => makers[version]([honest[0], { ...honest[1], size: size + 5 }]),
      kind: 'corrupt',
      message: /ended after|ends/,
    },
    'with a file longer than it is said to be': {
      stream: (version) => makers[version]([{ ...honest[0], size: size - 5 }, honest[1]], { bytes: total }),
      kind: 'corrupt',
      message: /./,
    },
    'with a file of more bytes than there are numbers for': {
      stream: (version) => makers[version]([{ ...honest[0], size: Number.MAX_SAFE_INTEGER }], { bytes: total }),
      kind: 'corrupt',
      message: /./,
    },
    'that promises no number of files': {
      stream: (version) => makers[version](honest, { files: 'many' }),
      kind: 'corrupt',
      message: /not a number|does not say how many/,
    },
    'that promises less than nothing': {
      stream: (version) => makers[version](honest, { files: -1 }),
      kind: 'corrupt',
      message: /not a number|does not say how many/,
    },
    'with a file twice': {
      stream: (version) => makers[version]([honest[0], honest[0]]),
      kind: 'protocol',
      message: /twice/,
    },
    'with nothing in it but noise': {
      stream: () => Buffer.alloc(10_000, 'noise '),
      kind: 'protocol',
      message: /no bundle that Deltascope knows|has a line of more/,
    },
  };
  for (const [what, { stream, ...failure }] of Object.entries(lies)) {
    for (const version of versions) {
      it(`when it is a stream v${version} ${what}`, async () => {
        // What v1 tells as the end of its bytes, a connection that is cut looks like too.
        const kind = version === 1 && /shorter|fewer files/.test(what) ? 'network' : failure.kind;
        const ofNoise = version === 1 && what.includes('noise') ? 'corrupt' : kind;
        await using server = await streamServer(stream(version), version);
        await attempts.fails(server.url, { ...failure, kind: ofNoise });
      });
    }
  }

  const badNames = [
    '',
    '../x',
    'data/../../x',
    'data/../x.i',
    '/tmp/deltascope-outside.i',
    'data//x.i',
    'data/./x.i',
    'data/x\0y.i',
    'data/',
    'hgrc',
    'requires',
    '../hgrc',
    'journal',
    'lock',
    'fncache',
    'data\\..\\..\\x',
    'meta/../../hgrc',
  ];
  for (const name of badNames) {
    for (const version of versions) {
      if (version === 1 && name.includes('\0')) continue;
      it(`when a stream v${version} names a file ${JSON.stringify(name)}`, async () => {
        await using server = await streamServer(makers[version]([...honest, { name, bytes: 'x' }]), version);
        await attempts.fails(server.url, {
          kind: name === '' ? 'corrupt' : 'protocol',
          message: name === '' ? /./ : /has no place in a store/,
        });
        equal(existsSync('/tmp/deltascope-outside.i'), false, 'a file outside was written');
      });
    }
  }

  it('when a stream v2 names a cache file that leads elsewhere, or has an entry of a kind that nobody knows', async () => {
    for (const name of ['../hgrc', '/tmp/x', 'a/b', '..', 'x\0']) {
      await using server = await streamServer(streamV2([...honest, { mark: 'c', name, bytes: 'x' }]), 2);
      await attempts.fails(server.url, { kind: 'protocol', message: /no plain name/ });
    }
    await using server = await streamServer(streamV2([{ mark: 'x', name: 'data/a.i', bytes: 'x' }]), 2);
    await attempts.fails(server.url, { kind: 'corrupt', message: /unknown kind 0x78/ });
  });

  it('when it requires what nobody knows, or what is known and not there', async () => {
    const cases: Record<string, RegExp> = {
      'revlogv1,quantum-store': /quantum-store/,
      'revlogv1,treemanifest': /tree manifests/i,
      'revlogv1,narrowhg-experimental': /narrow/i,
      'revlogv1,lfs': /LFS|large file/i,
      'revlogv1,largefiles': /largefiles/i,
      'exp-revlogv2.2': /revlogv2/,
    };
    for (const [requirements, message] of Object.entries(cases)) {
      await using server = await streamServer(
        streamV2(honest, { requirements: requirements.replaceAll(',', '%2C') }),
        2,
      );
      await attempts.fails(server.url, { kind: 'unsupported', message });
    }
  });

  const bundles: Record<string, { bundle: Uint8Array } & Failure> = {
    'without a stream': { bundle: bundleOf([]), kind: 'protocol', message: /no stream/ },
    'with two streams': {
      bundle: bundleOf([streamPart(honest), streamPart([])]),
      kind: 'protocol',
      message: /two streams/,
    },
    'with a mandatory part that nobody knows': {
      bundle: bundleOf([part(partHeader('TELEPATHY'), Buffer.from('x')), streamPart(honest)]),
      kind: 'unsupported',
      message: /telepathy/,
    },
    'that needs a parameter that nobody knows': {
      bundle: bundleOf([streamPart(honest)], 'Speed=light'),
      kind: 'unsupported',
      message: /Speed/,
    },
    'whose stream needs a parameter that nobody knows': {
      bundle: bundleOf([
        part(
          partHeader('STREAM2', { bytecount: '0', filecount: '0', requirements: 'revlogv1', speed: '9' }),
          Buffer.alloc(0),
        ),
      ]),
      kind: 'unsupported',
      message: /speed/,
    },
    'that says what went wrong': {
      bundle: bundleOf([
        part(partHeader('ERROR:ABORT', { message: 'out of luck' }, { hint: 'try later' }), Buffer.alloc(0)),
      ]),
      kind: 'protocol',
      message: /out of luck/,
      advice: /try later/,
    },
  };
  for (const [what, { bundle, ...failure }] of Object.entries(bundles)) {
    it(`when the bundle is one ${what}`, async () => {
      await using server = await streamServer(bundle, 2);
      await attempts.fails(server.url, failure);
    });
  }

  const plain = (path: string): HandmadeFile => ({ path, content: 'content' });
  const link = (path: string, content: string): HandmadeFile => ({ path, content, flag: 'l' });
  const checkouts: Record<string, HandmadeFile[]> = {
    'in .hg': [plain('.hg/hgrc')],
    'in .HG': [plain('.HG/hgrc')],
    'above it': [plain('../outside')],
    'at an absolute path': [plain('/tmp/deltascope-outside')],
    'through a symbolic link': [link('sub', '..'), plain('sub/outside')],
    'through a symbolic link to .hg': [link('sub', '.hg'), plain('sub/hgrc')],
  };
  for (const [where, files] of Object.entries(checkouts)) {
    it(`when the working copy would have a file ${where}`, async () => {
      using folder = temporaryFolder('handmade');
      const root = join(folder.path, 'r');
      handmadeRepository(root, files);
      await using server = await streamServer(streamV2(filesOf(root, files)), 2);
      // Names that would leave the working copy would leave the store before.
      const isInside = files.every(({ path }) => !path.split('/').includes('..') && !path.startsWith('/'));
      await attempts.fails(server.url, { kind: isInside ? 'corrupt' : 'protocol', message: /./ });
      const parent = attempts.freshFolder();
      const outcome = attempts.clone(server.url, join(parent, 'clone'), quick, { kind: 'none' }).then(
        () => true,
        () => false,
      );
      equal(
        await outcome,
        isInside,
        'without a working copy there is nothing wrong with a name that stays in the store',
      );
    });
  }
});

function streamPart(files: readonly StreamedFile[]): Buffer {
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  const header = partHeader('STREAM2', {
    bytecount: String(bytes),
    filecount: String(files.length),
    requirements: 'revlogv1',
  });
  return part(header, streamV2Payload(files));
}

/** A handmade repository has no fncache to read the names from. */
function filesOf(root: string, files: readonly HandmadeFile[]): StreamedFile[] {
  return [
    ...files.map(({ path, content }) => ({
      name: `data/${path}.i`,
      bytes: handmadeRevlog(Buffer.from(content, 'latin1')),
    })),
    ...storeFiles(root),
  ];
}
