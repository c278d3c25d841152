/** The compression engines of the wire and of bundles, by the names that Mercurial gives them. */
export type CompressionName = 'none' | 'zlib' | 'zstd' | 'bzip2';
