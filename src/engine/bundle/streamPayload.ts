/** Where the files of a stream clone go: the store itself, or the cache folder beside it. */
export type StreamArea = 'store' | 'cache';

/**
 * Receives the files of a stream clone in the order of the stream. Names are the store's own (bytes as Latin-1), and
 * come from the network: the sink decides whether they may be written, and where.
 */
export interface StreamSink {
  /** A file whose bytes are all there. */
  file(area: StreamArea, name: string, bytes: Uint8Array): void;
  /** A file of `size` bytes that comes in pieces: `write` until complete, then `close`. */
  begin(area: StreamArea, name: string, size: number): void;
  write(bytes: Uint8Array): void;
  close(): void;
}

/** What a stream promises about itself. */
export interface StreamTotals {
  files: number;
  bytes: number;
}

/** Called after each stretch of work with what has been received so far. */
export type StreamProgress = (files: number, bytes: number) => void;

/** The longest name that a stream may give a file: far above any file system's limit, far below memory's. */
export const maximumNameLength = 64 * 1024;
