import * as l10n from '@vscode/l10n';
import { createReadStream, statSync } from 'node:fs';
import { parseBookmarks } from '../bundle/bookmarksPart';
import type { Bundle2Part } from '../bundle/bundle2Reader';
import {
  parseChangegroupVersion,
  passTreeManifests,
  readDeltaGroup,
  readFileName,
  type ChangegroupVersion,
} from '../bundle/changegroupReader';
import { divideMarkers } from '../bundle/obsolescence';
import { openBundle } from '../bundle/openBundle';
import { partBytes } from '../bundle/partBytes';
import { parsePhaseHeads, type PhaseHead } from '../bundle/phaseHeads';
import { readStreamV1Head } from '../bundle/streamV1';
import { parseStreamV2Header } from '../bundle/streamV2';
import { zstdReady } from '../compression/block';
import { ByteReader } from '../io/byteReader';
import { EngineError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import type { Revlog } from '../revlog/revlog';
import { bookmarksOfListkeys } from '../store/bookmarks';
import { openRevlogIfThere } from '../store/openRevlog';
import { locateRepository } from '../store/repositoryFolders';
import type { BundleContents, BundledHistory, BundledPart } from './bundleContents';
import { BundledChangesets } from './bundledChangesets';
import { countBytes } from './countBytes';

/** A bundle file to look into. */
export interface ReadBundle {
  path: string;
  /** Working copies whose histories its first changesets may build on. */
  repositories: readonly string[];
}

/** Files that are named because they take the most. */
const mostNamed = 50;

/**
 * Worker task: reads a bundle file from its beginning to its end, and tells what is in it. Parts that nobody knows are told
 * of, too. What is damaged is told in the result, with all that was read before.
 *
 * @throws `protocol` and `unsupported` when it is no bundle, `cancelled`, and what the file system says
 */
export async function readBundle({ path, repositories }: ReadBundle, operation: Operation): Promise<BundleContents> {
  await zstdReady;
  const { size } = statSync(path);
  const counted = countBytes(createReadStream(path), (done) => {
    operation.progress({ type: 'phase', phase: 'read', state: 'running', done, total: size, unit: 'bytes' });
  });
  const reader = new ByteReader(counted.body, l10n.t('bundle file'), 'corrupt');
  const changelogs = openChangelogs(repositories);
  try {
    return await new BundleReading(path, size, new BundledChangesets(changelogs), operation).read(reader);
  } finally {
    for (const changelog of changelogs) changelog[Symbol.dispose]();
    await reader.close();
  }
}

class BundleReading {
  private readonly contents: BundleContents;
  private heads: PhaseHead[] = [];

  constructor(
    path: string,
    bytes: number,
    private readonly changesets: BundledChangesets,
    private readonly operation: Operation,
  ) {
    this.contents = {
      path,
      bytes,
      kind: '',
      compression: 'none',
      parameters: [],
      parts: [],
      changesets: [],
      unreadable: changesets.unreadable,
      bookmarks: [],
      markers: 0,
    };
  }

  async read(reader: ByteReader): Promise<BundleContents> {
    const { contents } = this;
    const bundle = await openBundle(reader, (part) => this.readPart(part));
    try {
      if (bundle.kind === 'bundle2') {
        contents.kind = 'HG20';
        contents.compression = bundle.compression;
        contents.parameters = [...bundle.parameters].map(([name, value]) => ({ name, value }));
        for await (const part of bundle.parts) await this.readPart(part);
      } else if (bundle.kind === 'changegroup') {
        contents.kind = 'HG10';
        contents.compression = bundle.compression;
        await this.counted('changegroup', bundle.reader, () => this.readChangegroup(bundle.reader, '01'));
      } else {
        contents.kind = 'HGS1';
        contents.stream = { ...(await readStreamV1Head(bundle.reader)), requirements: bundle.requirements };
        await this.counted('stream', bundle.reader, () => passOver(bundle.reader, this.operation));
      }
    } catch (error) {
      throwIfCancelled(this.operation);
      if (!(error instanceof EngineError)) throw error;
      contents.fault = error.message;
    }
    contents.changesets = this.changesets.newestFirst(this.heads);
    return contents;
  }

  private async readPart(part: Bundle2Part): Promise<void> {
    const told: BundledPart = {
      type: part.type,
      mandatory: part.mandatory,
      parameters: [...part.parameters].map(([name, value]) => ({
        name,
        value,
        mandatory: part.mandatoryParameters.has(name),
      })),
      bytes: 0,
    };
    this.contents.parts.push(told);
    const counted = countBytes(part.payload, (bytes) => (told.bytes = bytes));
    await this.readPayload({ ...part, payload: counted.body });
    // What nobody knows is counted all the same.
    await passOver(new ByteReader(counted.body, part.type), this.operation);
  }

  private async readPayload(part: Bundle2Part): Promise<void> {
    const { contents } = this;
    switch (part.type) {
      case 'changegroup': {
        const version = parseChangegroupVersion(part.parameters.get('version') ?? '01');
        await this.readChangegroup(new ByteReader(part.payload, part.type), version);
        break;
      }
      case 'phase-heads':
        this.heads = parsePhaseHeads(await partBytes(part));
        break;
      case 'bookmarks':
        for (const [name, node] of bookmarksOfListkeys(parseBookmarks(await partBytes(part)))) {
          contents.bookmarks.push({ name: fromBytes(name), node });
        }
        break;
      case 'obsmarkers':
        contents.markers += divideMarkers(await partBytes(part), part.type).length;
        break;
      case 'stream2':
        contents.stream = parseStreamV2Header(part);
        break;
    }
  }

  private async readChangegroup(reader: ByteReader, version: ChangegroupVersion): Promise<void> {
    const history = newHistory(version);
    this.contents.history = history;
    await readDeltaGroup(reader, version, (revision) => {
      throwIfCancelled(this.operation);
      history.changesetBytes += revision.delta.length;
      history.changesets++;
      this.changesets.add(revision);
    });
    history.manifests = await readDeltaGroup(reader, version, ({ delta }) => (history.manifestBytes += delta.length));
    await passTreeManifests(reader, version);
    for (let name = await readFileName(reader); name !== undefined; name = await readFileName(reader)) {
      throwIfCancelled(this.operation);
      const file = { path: fromBytes(name), revisions: 0, bytes: 0 };
      file.revisions = await readDeltaGroup(reader, version, ({ delta }) => (file.bytes += delta.length));
      history.files++;
      history.fileRevisions += file.revisions;
      history.fileBytes += file.bytes;
      history.largest.push(file);
      if (history.largest.length >= 4 * mostNamed) keepLargest(history);
    }
    keepLargest(history);
  }

  /** A bundle of an older kind is one part. */
  private async counted(type: string, reader: ByteReader, read: () => Promise<void>): Promise<void> {
    const told = { type, mandatory: true, parameters: [], bytes: 0 };
    this.contents.parts.push(told);
    const begun = reader.offset;
    try {
      await read();
    } finally {
      told.bytes = reader.offset - begun;
    }
  }
}

function newHistory(version: string): BundledHistory {
  const counts = { changesets: 0, manifests: 0, files: 0, fileRevisions: 0 };
  return { version, ...counts, changesetBytes: 0, manifestBytes: 0, fileBytes: 0, largest: [] };
}

function keepLargest(history: BundledHistory): void {
  history.largest.sort((one, other) => other.bytes - one.bytes);
  history.largest.length = Math.min(mostNamed, history.largest.length);
}

async function passOver(reader: ByteReader, operation: Operation): Promise<void> {
  while ((await reader.readSome(1 << 20)).length > 0) throwIfCancelled(operation);
}

/** Repositories that cannot be opened are of no help, and no harm. */
function openChangelogs(repositories: readonly string[]): Revlog[] {
  return repositories.flatMap((root) => {
    try {
      return openRevlogIfThere(locateRepository(root), '00changelog.i') ?? [];
    } catch (error) {
      if (error instanceof EngineError) return [];
      throw error;
    }
  });
}

function fromBytes(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString();
}
