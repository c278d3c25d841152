import { quoteCapabilities } from '../bundle/quoting';

const bundle2 = [
  'HG20',
  'bookmarks',
  'changegroup=01,02,03',
  'error=abort,unsupportedcontent',
  'hgtagsfnodes',
  'listkeys',
  'obsmarkers=V1',
  'phases=heads',
  'stream=v2',
];

/** What we tell servers that we can receive, as the `bundlecaps` argument wants it. @see `hg help internals.bundle2` */
export const ourCapabilities: readonly string[] = ['HG20', `bundle2=${quoteCapabilities(bundle2)}`];
