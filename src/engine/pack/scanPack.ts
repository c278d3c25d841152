import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Operation } from '../io/operation';
import { readBundleHeader } from './bundleHeader';
import { sha1Format, type ObjectFormat } from './objectFormat';
import { fileSource } from './packSource';
import { PackWindow } from './packWindow';
import type { PackEntries } from './readPackColumns';
import { unpackObjects } from './unpackObjects';
import { defaultBigFileThreshold } from './unpackPack';
import { newRingMemory } from './writeRing';

/**
 * Finds the entries and names of a pack that has no index: only inflating tells where an entry ends, and only its content
 * what it is called. The objects go to a temporary folder, so that memory stays as small as when unpacking.
 * @throws as `unpackObjects`; a thin pack lacks its bases.
 */
export async function scanPack(path: string, operation: Operation): Promise<PackEntries> {
  const { packAt, format } = await whereThePackBegins(path);
  const scratch = mkdtempSync(join(tmpdir(), 'deltascope-scan-'));
  let found: PackEntries | undefined;
  try {
    using source = fileSource(path, packAt);
    const target = { objects: scratch, quarantine: scratch, format, compression: 1, fsync: false };
    await unpackObjects(
      source,
      { target, bigFileThreshold: defaultBigFileThreshold, strict: false, origin: 'corrupt', ring: newRingMemory() },
      {
        ...operation,
        progress: (event) => (event.type === 'phase' && event.phase === 'read' ? operation.progress(event) : undefined),
      },
      (entries) => {
        found = { format, packAt, count: entries.count, offsets: entries.offsets, names: entries.allNames };
        return 'leave';
      },
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
  // The callback has run: a pack that is not sound throws before.
  if (found === undefined) throw new Error('A sound pack was not reported.');
  return found;
}

async function whereThePackBegins(path: string): Promise<{ packAt: number; format: ObjectFormat }> {
  using source = fileSource(path);
  const window = new PackWindow(source);
  const bundle = await readBundleHeader(window);
  return { packAt: window.offset, format: bundle?.format ?? sha1Format };
}
