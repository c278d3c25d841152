import { chunkKinds, type ChunkKind } from '../compression/block';
import { deltaTypes, type DeltaType } from '../revlog/chainColumns';
import { revlogRoles, type RevlogRole } from './storeRevlogs';

/**
 * What a survey found out about each revlog of a store, as columns: position n of each belongs to the same revlog. Half a
 * million files are a few typed arrays and their names.
 */
export interface SurveyColumns {
  count: number;
  names: string[];
  /** Paths of the indexes. */
  paths: string[];
  /** Paths of the files of chunks, where they are not the index's with `.d`: of hashed names. */
  chunkPaths: (string | undefined)[];
  /** Position in `revlogRoles`. */
  roles: Uint8Array<ArrayBuffer>;
  revisions: Int32Array<ArrayBuffer>;
  /** Bytes of both files on disk. */
  diskBytes: Float64Array<ArrayBuffer>;
  /** Bytes of all chunks. */
  chunkBytes: Float64Array<ArrayBuffer>;
  /** Bytes of all texts. */
  textBytes: Float64Array<ArrayBuffer>;
  /** How many deltas are applied at most to build a text. */
  longestChains: Int32Array<ArrayBuffer>;
  /** The largest chain, as a multiple of its text; of texts that are not tiny. */
  worstRatios: Float64Array<ArrayBuffer>;
  /** Bytes that writing the deltas again would probably save. */
  waste: Float64Array<ArrayBuffer>;
  /** Revisions of each of `deltaTypes`, revlog by revlog. */
  typeCounts: Int32Array<ArrayBuffer>;
  /** Bytes of chunks of each of `chunkKinds`, revlog by revlog; of a sample, scaled up, where there are very many. */
  kindBytes: Float64Array<ArrayBuffer>;
  /** How many faults there are; -1 when the revlog could not be read at all. */
  faults: Int32Array<ArrayBuffer>;
}

/** One revlog of a survey, as JSON has it. */
export interface SurveyRow {
  name: string;
  path: string;
  role: RevlogRole;
  revisions: number;
  diskBytes: number;
  chunkBytes: number;
  textBytes: number;
  longestChain: number;
  worstRatio: number;
  waste: number;
  /** Revisions by type of delta; those of type `base` are stored whole. */
  types: Partial<Record<DeltaType, number>>;
  /** Bytes of chunks by kind. */
  kinds: Partial<Record<ChunkKind, number>>;
  faults: number;
}

export function newSurveyColumns(count: number): SurveyColumns {
  return {
    count,
    names: [],
    paths: [],
    chunkPaths: [],
    roles: new Uint8Array(count),
    revisions: new Int32Array(count),
    diskBytes: new Float64Array(count),
    chunkBytes: new Float64Array(count),
    textBytes: new Float64Array(count),
    longestChains: new Int32Array(count),
    worstRatios: new Float64Array(count),
    waste: new Float64Array(count),
    typeCounts: new Int32Array(count * deltaTypes.length),
    kindBytes: new Float64Array(count * chunkKinds.length),
    faults: new Int32Array(count),
  };
}

/** What is known of one revlog. */
export function surveyRow(columns: SurveyColumns, at: number): SurveyRow {
  return {
    name: columns.names[at],
    path: columns.paths[at],
    role: revlogRoles[columns.roles[at]],
    revisions: columns.revisions[at],
    diskBytes: columns.diskBytes[at],
    chunkBytes: columns.chunkBytes[at],
    textBytes: columns.textBytes[at],
    longestChain: columns.longestChains[at],
    worstRatio: columns.worstRatios[at],
    waste: columns.waste[at],
    types: present(deltaTypes, columns.typeCounts, at),
    kinds: present(chunkKinds, columns.kindBytes, at),
    faults: columns.faults[at],
  };
}

/** The memory of the columns, to be moved to another thread. */
export function surveyBuffers(columns: SurveyColumns): ArrayBuffer[] {
  return Object.values<unknown>({ ...columns }).flatMap((column) =>
    ArrayBuffer.isView(column) && column.buffer instanceof ArrayBuffer ? [column.buffer] : [],
  );
}

function present<Name extends string>(
  names: readonly Name[],
  values: ArrayLike<number>,
  at: number,
): Partial<Record<Name, number>> {
  const result: Partial<Record<Name, number>> = {};
  names.forEach((name, position) => {
    const value = values[at * names.length + position];
    if (value > 0) result[name] = value;
  });
  return result;
}
