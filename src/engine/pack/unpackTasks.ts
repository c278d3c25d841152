import type { Operation } from '../io/operation';
import type { LooseTarget } from './looseWriter';
import { fileSource, streamSource } from './packSource';
import { serveWrites } from './serveWrites';
import { unpackObjects, type UnpackSettings, type UnpackTotals } from './unpackObjects';
import type { RingMemory } from './writeRing';

/** What comes with a task from another thread: the pack's bytes, unless the task reads a file itself. */
interface WithInput extends Operation {
  input: AsyncIterable<Uint8Array>;
}

export interface UnpackArgs {
  /** The file to read, or undefined for the stream that comes along. */
  path?: string;
  /** What the stream is called in errors, and its bytes where they are known. */
  name: string;
  totalBytes?: number;
  settings: UnpackSettings;
}

/** The task that reads a pack. @throws see {@link unpackObjects}. */
export async function unpackPackEntries(args: UnpackArgs, context: WithInput): Promise<UnpackTotals> {
  const { path, name, totalBytes, settings } = args;
  using source = path === undefined ? streamSource(context.input, name, totalBytes) : fileSource(path);
  return await unpackObjects(source, settings, context);
}

export interface WriteArgs {
  target: LooseTarget;
  ring: RingMemory;
}

/** The task that writes objects beside it. @throws see {@link serveWrites}. */
export function writeLooseObjects(args: WriteArgs, context: Operation): void {
  serveWrites(args.target, args.ring, context);
}
