import * as l10n from '@vscode/l10n';
import type { Transform } from 'node:stream';
import { corruptError } from '../io/errors';

interface CountsInput {
  /** How much of what was written has been used. */
  readonly bytesWritten: number;
}

/**
 * Sends a stream through a transform of `node:zlib`. Pulled: the source is asked for more only when everything before
 * has been turned into output and that has been taken, and each of its views is done with by then.
 *
 * @param prepare called before a piece of the source is written, which happens when it has called `done`
 * @throws what the transform reports, what the source throws, and `corrupt` when the transform has come to its end and
 * the source has not.
 */
export async function* throughTransform(
  transform: Transform & CountsInput,
  source: AsyncIterable<Uint8Array>,
  prepare?: (bytes: Uint8Array, done: () => void) => void,
): AsyncGenerator<Uint8Array> {
  let failure: Error | undefined;
  let wake: () => void = () => undefined;
  const change = () => wake();
  const changed = () => new Promise<void>((resolve) => (wake = resolve));
  transform.on('readable', change).on('end', change).on('close', change);
  transform.on('error', (error) => {
    failure = error;
    change();
  });
  /** What comes out until `isDone`, or the end. */
  const output = async function* (isDone: () => boolean): AsyncGenerator<Uint8Array> {
    for (;;) {
      if (failure !== undefined) throw failure;
      const bytes = transform.read() as Uint8Array | null;
      if (bytes !== null) yield bytes;
      else if (isDone() || isOver()) return;
      else await changed();
    }
  };
  /** What comes out until something that is begun is done. */
  const outputOf = (begin: (done: () => void) => void): AsyncGenerator<Uint8Array> => {
    let isDone = false;
    begin(() => {
      isDone = true;
      change();
    });
    return output(() => isDone);
  };
  const isOver = () => transform.readableEnded;
  let fed = 0;
  try {
    for await (const bytes of source) {
      if (bytes.length === 0) continue;
      if (isOver()) throw trailing();
      fed += bytes.length;
      if (prepare !== undefined) yield* outputOf((done) => prepare(bytes, done));
      yield* outputOf((done) => transform.write(bytes, done));
      if (isOver() && transform.bytesWritten < fed) throw trailing();
    }
    transform.end();
    yield* output(() => false);
    if (transform.bytesWritten < fed) throw trailing();
  } finally {
    transform.destroy();
  }
}

function trailing(): Error {
  return corruptError(l10n.t('it goes on after its end'));
}
