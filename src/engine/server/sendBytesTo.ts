import type { ServerResponse } from 'node:http';
import { networkError } from '../io/errors';

/**
 * Sends a stream to a client and ends the response: the source is asked for more only when everything before has gone to
 * the system, so that a view of it is done with by then.
 *
 * @param head goes before everything
 * @param slowReaderTime milliseconds that a client may take for one piece
 * @throws `network` when the client goes away or takes too long, and what the source throws
 */
export async function sendBytesTo(
  response: ServerResponse,
  head: Uint8Array,
  source: AsyncIterable<Uint8Array>,
  slowReaderTime: number,
): Promise<void> {
  let isGone = false;
  let wake: () => void = () => undefined;
  const onClose = () => {
    isGone = true;
    wake();
  };
  response.once('close', onClose);
  const timer = setTimeout(() => response.destroy(networkError('The client reads too slowly.')), slowReaderTime);
  try {
    if (response.destroyed) throw gone(response);
    if (head.length > 0) response.write(head);
    for await (const bytes of source) {
      timer.refresh();
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (isOver()) resolve();
        else response.write(bytes, () => resolve());
      });
      if (isOver()) throw gone(response);
    }
    timer.refresh();
    await new Promise<void>((resolve) => {
      wake = resolve;
      response.end(resolve);
    });
    if (isOver() && !response.writableFinished) throw gone(response);
  } finally {
    clearTimeout(timer);
    response.off('close', onClose);
  }

  function isOver(): boolean {
    return isGone;
  }
}

function gone(response: ServerResponse): Error {
  const reason = response.errored;
  return reason ?? networkError('The client went away.');
}
