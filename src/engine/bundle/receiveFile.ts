import type { ByteReader } from '../io/byteReader';
import type { StreamArea, StreamSink } from './streamPayload';

/**
 * Hands the next `size` bytes to `sink` as one file: at once where they are all there, otherwise as they come, with
 * `progress` told after each piece.
 */
export async function receiveFile(
  reader: ByteReader,
  sink: StreamSink,
  area: StreamArea,
  name: string,
  size: number,
  progress: (received: number) => void,
): Promise<void> {
  if (reader.buffered >= size) {
    sink.file(area, name, reader.take(size));
    return;
  }
  sink.begin(area, name, size);
  try {
    for (let left = size; left > 0;) {
      const bytes = await reader.readSome(left);
      if (bytes.length === 0) throw reader.endedEarly(left);
      sink.write(bytes);
      left -= bytes.length;
      progress(size - left);
    }
  } finally {
    sink.close();
  }
}
