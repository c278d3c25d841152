import * as l10n from '@vscode/l10n';
import { Decompress } from 'fzstd';
import { ByteReader, concatenate } from '../io/byteReader';
import { corruptError, unsupportedError } from '../io/errors';
import { largestZstdWindow, zstdFrameHead } from './zstdBlock';

const frameMagic = 0xfd2fb528;
const skippableMagic = 0x184d2a50;
/** A block holds no more than this, and neither does what it decodes to. */
const largestBlock = 128 * 1024;
const checksumFlag = 4;

/**
 * Decodes a stream of zstd frames, where the running Node has no zstd. Block by block, so that nothing more than 128 KiB
 * comes out before it is taken, and a frame that asks for more than 128 MiB of memory is refused before it gets any.
 * Checksums of frames are passed over: what bundles carry has hashes of its own.
 *
 * @throws `corrupt`, `unsupported` for a window that is too large, and what the source throws
 * @see RFC 8878, section 3.1
 */
export async function* decodeZstdFrames(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = new ByteReader(source, l10n.t('zstd stream'));
  try {
    do {
      const magic = await reader.read(4);
      const number = new DataView(magic.buffer, magic.byteOffset, 4).getUint32(0, true);
      if (number === frameMagic) yield* decodeFrame(reader, magic.slice());
      else if ((number & 0xfffffff0) >>> 0 === skippableMagic) await passOver(reader);
      else throw corruptError(l10n.t('what should be a frame does not begin like one'));
    } while (!(await reader.atEnd()));
  } finally {
    await reader.close();
  }
}

async function* decodeFrame(reader: ByteReader, magic: Uint8Array): AsyncGenerator<Uint8Array> {
  const head = await readHead(reader, magic);
  const contentSize = checkHead(head);
  const hasChecksum = (head[4] & checksumFlag) !== 0;
  head[4] &= ~checksumFlag;
  const ready: Uint8Array[] = [];
  const decoder = new Decompress((bytes) => {
    if (bytes.length > 0) ready.push(bytes);
  });
  let length = 0;
  let before = head;
  for (let isLast = false; !isLast;) {
    const block = await readBlock(reader);
    isLast = (block[0] & 1) === 1;
    push(decoder, before.length === 0 ? block : concatenate([before, block], before.length + block.length), isLast);
    before = block.subarray(block.length);
    for (const bytes of ready) {
      length += bytes.length;
      yield bytes;
    }
    ready.length = 0;
  }
  if (contentSize !== undefined && length !== contentSize) {
    throw corruptError(l10n.t('a frame holds {0} bytes, and promised {1}', length, contentSize));
  }
  if (hasChecksum) await reader.skip(4);
}

function push(decoder: Decompress, bytes: Uint8Array, isLast: boolean): void {
  try {
    decoder.push(bytes, isLast);
  } catch (error) {
    throw corruptError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** From the magic to the first block. */
async function readHead(reader: ByteReader, magic: Uint8Array): Promise<Uint8Array> {
  const descriptor = (await reader.read(1)).slice();
  const isSingleSegment = (descriptor[0] & 0x20) !== 0;
  const sizeLength = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor[0] >> 6];
  const rest = await reader.read((isSingleSegment ? 0 : 1) + [0, 1, 2, 4][descriptor[0] & 3] + sizeLength);
  return concatenate([magic, descriptor, rest], magic.length + 1 + rest.length);
}

/** The size that the frame promises, if it does. */
function checkHead(head: Uint8Array): number | undefined {
  if ((head[4] & 3) !== 0) throw unsupportedError(l10n.t('The zstd stream needs a dictionary.'), { subject: 'zstd' });
  const { windowSize, contentSize } = zstdFrameHead(head) ?? { windowSize: 0, contentSize: undefined };
  if (windowSize > largestZstdWindow) {
    throw unsupportedError(
      l10n.t('The zstd stream needs {0} bytes of memory; at most {1} can be had.', windowSize, largestZstdWindow),
      {
        subject: 'zstd',
      },
    );
  }
  return contentSize;
}

/** Three bytes of header, and what they announce. */
async function readBlock(reader: ByteReader): Promise<Uint8Array> {
  const header = (await reader.read(3)).slice();
  const bits = header[0] | (header[1] << 8) | (header[2] << 16);
  const kind = (bits >> 1) & 3;
  const size = bits >> 3;
  // A size beyond the largest would be decoded into memory that nobody has bounded.
  if (kind === 3 || size > largestBlock) throw corruptError(l10n.t('a block has a header that cannot be'));
  const isRun = kind === 1;
  const content = await reader.read(isRun ? 1 : size);
  return concatenate([header, content], header.length + content.length);
}

async function passOver(reader: ByteReader): Promise<void> {
  const size = await reader.read(4);
  await reader.skip(new DataView(size.buffer, size.byteOffset, 4).getUint32(0, true));
}
