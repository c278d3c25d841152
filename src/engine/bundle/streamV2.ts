import * as l10n from '@vscode/l10n';
import type { ByteReader } from '../io/byteReader';
import { corruptError, unsupportedError } from '../io/errors';
import { printable } from '../io/printable';
import type { Bundle2Part } from './bundle2Reader';
import { unquote } from './quoting';
import { receiveFile } from './receiveFile';
import {
  maximumNameLength,
  type StreamArea,
  type StreamProgress,
  type StreamSink,
  type StreamTotals,
} from './streamPayload';

const storeMark = 0x73;
const cacheMark = 0x63;

/** What the header of a `stream2` part says. */
export interface StreamV2Header extends StreamTotals {
  requirements: string[];
}

/**
 * Reads the parameters of a `stream2` part.
 * @throws `unsupported` for a mandatory parameter that is not known, `corrupt` for numbers that are none.
 */
export function parseStreamV2Header(part: Bundle2Part): StreamV2Header {
  for (const name of part.mandatoryParameters) {
    if (!['requirements', 'filecount', 'bytecount'].includes(name)) {
      throw unsupportedError(
        l10n.t('The stream needs the parameter {0}, which Deltascope does not know.', printable(name)),
        {
          subject: name,
        },
      );
    }
  }
  return {
    files: countOf(part, 'filecount'),
    bytes: countOf(part, 'bytecount'),
    requirements: unquote(part.parameters.get('requirements') ?? '')
      .split(',')
      .filter((name) => name !== ''),
  };
}

/**
 * Reads the payload of a `stream2` part into `sink`. For each file: `s` (store) or `c` (cache), name length and size as
 * little-endian base-128 numbers, name, bytes. File content is handed on as it comes and never held.
 *
 * @throws `corrupt` when files or bytes are more or fewer than promised, with the offset.
 * @see `hg help internals.bundle2` and the figures of a real response in the tests
 */
export async function readStreamV2(
  reader: ByteReader,
  totals: StreamTotals,
  sink: StreamSink,
  progress: StreamProgress,
): Promise<void> {
  let bytes = 0;
  for (let files = 0; files < totals.files; files++) {
    if (reader.buffered === 0 && (await reader.atEnd())) {
      throw corruptError(l10n.t('The stream holds {0} files; {1} were promised.', files, totals.files), {
        subject: reader.name,
        offset: reader.offset,
      });
    }
    const area = parseArea((await reader.read(1))[0], reader);
    const nameLength = await readVarint(reader);
    const size = await readVarint(reader);
    if (nameLength === 0 || nameLength > maximumNameLength) throw lyingLength('name', nameLength, reader);
    if (bytes + size > totals.bytes) throw lyingLength('content', size, reader);
    const name = latin1(await reader.read(nameLength));
    const [before, complete] = [bytes, files];
    await receiveFile(reader, sink, area, name, size, (received) => progress(complete, before + received));
    bytes += size;
    progress(files + 1, bytes);
  }
  if (bytes !== totals.bytes) {
    throw corruptError(l10n.t('The stream holds {0} bytes of files; {1} were promised.', bytes, totals.bytes), {
      subject: reader.name,
      offset: reader.offset,
    });
  }
  if (!(await reader.atEnd())) {
    throw corruptError(l10n.t('The stream goes on after the {0} files that were promised.', totals.files), {
      subject: reader.name,
      offset: reader.offset,
    });
  }
}

function parseArea(mark: number, reader: ByteReader): StreamArea {
  if (mark === storeMark) return 'store';
  if (mark === cacheMark) return 'cache';
  throw corruptError(
    l10n.t('The stream has an entry of unknown kind 0x{0} at offset {1}.', mark.toString(16), reader.offset - 1),
    {
      subject: reader.name,
      offset: reader.offset - 1,
    },
  );
}

async function readVarint(reader: ByteReader): Promise<number> {
  let value = 0;
  for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
    const byte = reader.buffered > 0 ? reader.take(1)[0] : (await reader.read(1))[0];
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) {
      if (Number.isSafeInteger(value)) return value;
      break;
    }
  }
  throw lyingLength('number', value, reader);
}

function countOf(part: Bundle2Part, name: string): number {
  const text = part.parameters.get(name) ?? '';
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw corruptError(l10n.t("The stream's {0} is {1}, not a number.", name, JSON.stringify(text)), {
      subject: part.type,
    });
  }
  return value;
}

function lyingLength(what: string, length: number, reader: ByteReader): Error {
  return corruptError(
    l10n.t('The stream gives a file a {0} of length {1} at offset {2}.', what, length, reader.offset),
    {
      subject: reader.name,
      offset: reader.offset,
    },
  );
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
