import * as l10n from '@vscode/l10n';
import type { ByteReader } from '../io/byteReader';
import { corruptError, lockHeldError, protocolError, unsupportedError } from '../io/errors';
import { receiveFile } from './receiveFile';
import { maximumNameLength, type StreamProgress, type StreamSink, type StreamTotals } from './streamPayload';

const newline = 0x0a;
const headLineLimit = 64;

/**
 * Reads the head of a legacy stream: a status line, then `FILES BYTES`.
 * @throws `unsupported` when the server refuses (status 1), `lockHeld` when it could not lock its repository (2),
 * `protocol` when this is no stream at all.
 */
export async function readStreamV1Head(reader: ByteReader): Promise<StreamTotals> {
  const status = await readLine(reader, headLineLimit);
  if (status === '1') {
    throw unsupportedError(l10n.t('The server does not allow stream clones.'), {
      advice: l10n.t('Clone with "Clone repository (pull)" instead.'),
      subject: 'stream_out',
    });
  }
  if (status === '2') {
    throw lockHeldError(l10n.t('The server could not lock its repository for a stream clone.'), {
      advice: l10n.t('Somebody is probably pushing. Try again in a moment.'),
    });
  }
  if (status !== '0')
    throw protocolError(l10n.t('The server answered the stream clone with {0}.', JSON.stringify(status)));
  const totals = /^(\d{1,15}) (\d{1,15})$/.exec(await readLine(reader, headLineLimit));
  if (totals === null)
    throw corruptError(l10n.t('The head of the stream does not say how many files and bytes follow.'));
  return { files: Number(totals[1]), bytes: Number(totals[2]) };
}

/**
 * Reads the files of a legacy stream into `sink`: for each a line `name\0size`, then its bytes. Every file belongs to
 * the store. File content is handed on as it comes and never held.
 *
 * @throws `corrupt` when files or bytes are more or fewer than promised, with the offset.
 * @see `hg help internals.wireprotocol`, command `stream_out`
 */
export async function readStreamV1(
  reader: ByteReader,
  totals: StreamTotals,
  sink: StreamSink,
  progress: StreamProgress,
): Promise<void> {
  let bytes = 0;
  for (let files = 0; files < totals.files; files++) {
    const line = await readLine(reader, maximumNameLength);
    const entry = /^([^\0]+)\0(\d{1,15})$/.exec(line);
    if (entry === null) {
      throw corruptError(l10n.t('The stream has no file entry at offset {0}.', reader.offset - line.length - 1), {
        subject: reader.name,
        offset: reader.offset - line.length - 1,
      });
    }
    const size = Number(entry[2]);
    if (bytes + size > totals.bytes) {
      throw corruptError(l10n.t('The stream holds more than the {0} bytes that were promised.', totals.bytes), {
        subject: reader.name,
        offset: reader.offset,
      });
    }
    const [before, complete] = [bytes, files];
    await receiveFile(reader, sink, 'store', entry[1], size, (received) => progress(complete, before + received));
    bytes += size;
    progress(files + 1, bytes);
  }
  if (bytes !== totals.bytes || !(await reader.atEnd())) {
    throw corruptError(
      l10n.t('The stream does not end after the {0} bytes in {1} files it promised.', totals.bytes, totals.files),
      {
        subject: reader.name,
        offset: reader.offset,
      },
    );
  }
}

async function readLine(reader: ByteReader, limit: number): Promise<string> {
  return Buffer.from(await reader.readUntil(newline, limit)).toString('latin1');
}
