import type { Finding } from '../engine/survey/finding';

/** What a chain report is about: a revlog by its index, or a Git pack. */
export type ReportSubject =
  | {
      kind: 'revlog';
      /** Path of the index. */
      index: string;
      /** As people know it: `changelog`, `manifest`, the path of a tracked file. */
      name: string;
      /** The working copy of the repository that it belongs to. */
      repository?: string;
    }
  | { kind: 'pack'; path: string };

/** The numbers of a column, one for each row. */
export type Numbers = Float64Array | Uint32Array | Int32Array | Uint16Array | Uint8Array;

/** Where the values of a column come from. */
export type ColumnSource =
  /** They are sent. */
  | { from: 'values' }
  /** The number of the row. */
  | { from: 'row' }
  /** One column divided by another; by a divisor of nothing it is `part` itself, or 1 where `whole` says so. */
  | { from: 'ratio'; part: string; whole: string; ofNothing: 'part' | 'one' }
  /** One column less another. */
  | { from: 'difference'; of: string; less: string }
  /** So many bytes for each row are sent, and shown in hexadecimal. */
  | { from: 'names'; width: number };

/** A column of the table. */
export interface ReportColumn {
  /** The name that filters and exports use: where hg has one, it is hg's. */
  key: string;
  label: string;
  /** A sentence for the tooltip. */
  description: string;
  format: 'number' | 'bytes' | 'ratio' | 'row' | 'choice' | 'name';
  /** What the values of a choice stand for, by position. */
  choices?: readonly string[];
  source: ColumnSource;
}

/** Which columns the pictures and the strip of a chain are drawn from. */
export interface ReportRoles {
  /** The row that a row is a delta against; negative for none. */
  base: string;
  /** Bytes that a row takes in the file, and bytes of what comes out. */
  stored: string;
  text: string;
  chainLength: string;
  chainSize: string;
  deltaKind: string;
  compression?: string;
  /** What reading a row costs: bytes read and number of reads, where it is known; otherwise a chain is one read each link. */
  readBytes?: string;
  reads?: string;
}

/** One figure at the head of a report. */
export interface ReportFigure {
  label: string;
  value: string;
  /** What it means, as a sentence. */
  description: string;
}

/** A report without its rows. */
export interface ReportHead {
  subject: ReportSubject;
  title: string;
  /** The file on disk. */
  path: string;
  health: 'good' | 'notable' | 'damaged';
  /** The answer to "is it healthy?", as a sentence. */
  verdict: string;
  findings: Finding[];
  figures: ReportFigure[];
  rowName: { one: string; many: string };
  count: number;
  columns: ReportColumn[];
  roles: ReportRoles;
}

/** A report as a worker makes it: the head, and the values by column. */
export interface ChainReport {
  head: ReportHead;
  values: Record<string, Numbers>;
}

/** From the editor to the page. */
export type ToReport =
  | { type: 'progress'; done: number; total: number | undefined }
  | { type: 'head'; head: ReportHead }
  | { type: 'column'; key: string; values: Numbers }
  | { type: 'complete' }
  | { type: 'failed'; message: string; advice: string | undefined }
  /** Show this row and its chain. */
  | { type: 'pick'; row: number };

/** From the page to the editor. */
export type FromReport =
  /** The page is drawn and wants its report. */
  | { type: 'ready' }
  | { type: 'retry' }
  | { type: 'openText'; row: number }
  /** To be shown in the Delta chains view. */
  | { type: 'reveal'; row: number }
  | { type: 'copy'; text: string }
  | { type: 'export' };

/** What a page keeps while it is hidden, and across a reload of the window. */
export interface ReportState {
  subject: ReportSubject;
  picked: number | undefined;
  filter: string;
  sort: { key: string; descending: boolean } | undefined;
  scrollTop: number;
}
