import { refuseMandatory } from '../bundle/bundle2Reader';
import { throwErrorPart } from '../bundle/errorPart';
import { openBundle } from '../bundle/openBundle';
import { ByteReader } from '../io/byteReader';
import type { TaskContext } from '../io/taskServer';

/** What a bundle is good for: a stream makes a new repository, a changegroup is added to one. */
export type BundleContent = 'stream' | 'changegroup';

/** Worker task: reads a bundle up to its first stream or changegroup. @throws as `openBundle` */
export async function readBundleContent({ name }: { name: string }, context: TaskContext): Promise<BundleContent> {
  const reader = new ByteReader(context.input, name);
  try {
    const bundle = await openBundle(reader, refuseMandatory);
    if (bundle.kind !== 'bundle2') return bundle.kind;
    for await (const part of bundle.parts) {
      throwErrorPart(part);
      if (part.type === 'stream2') return 'stream';
      if (part.type === 'changegroup') return 'changegroup';
    }
    return 'changegroup';
  } finally {
    await reader.close();
  }
}
