import type { ReportTable } from './reportTable';

/** One link of a chain, or a stretch of links too many to be shown one by one. */
export interface Link {
  row: number;
  bytes: number;
  /** How many links this stands for. */
  links: number;
}

/** A chain as it is shown: its links, and what reading it costs. */
export interface Strip {
  row: number;
  links: Link[];
  length: number;
  bytes: number;
  text: number;
  /** Bytes that are read for it, and in how many reads. */
  readBytes: number;
  reads: number;
}

const mostLinks = 1500;

/** The chain of a row: the whole text first, the row last. */
export function stripOf(table: ReportTable, row: number): Strip {
  const { roles } = table.head;
  const chain = table.chainOf(row);
  const stored = table.values(roles.stored);
  const links = chain.map((link): Link => ({ row: link, bytes: stored[link], links: 1 }));
  const bytes = links.reduce((sum, link) => sum + link.bytes, 0);
  return {
    row,
    links: links.length > mostLinks ? withMiddleJoined(links) : links,
    length: links.length,
    bytes,
    text: table.value(roles.text, row),
    readBytes: roles.readBytes === undefined ? bytes : table.value(roles.readBytes, row),
    reads: roles.reads === undefined ? links.length : table.value(roles.reads, row),
  };
}

/** Begin and end of a chain are what is looked at; what lies between becomes one block. */
function withMiddleJoined(links: Link[]): Link[] {
  const side = mostLinks / 2;
  const middle = links.slice(side, -side);
  const joined = {
    row: middle[0].row,
    bytes: middle.reduce((sum, link) => sum + link.bytes, 0),
    links: middle.length,
  };
  return [...links.slice(0, side), joined, ...links.slice(-side)];
}
