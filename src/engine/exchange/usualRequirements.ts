/** What a new repository demands: the defaults of Mercurial 6.3. */
export const usualRequirements = [
  ...['dotencode', 'fncache', 'generaldelta', 'revlog-compression-zstd', 'revlogv1'],
  ...['share-safe', 'sparserevlog', 'store'],
];
