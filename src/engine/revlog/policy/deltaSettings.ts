import type { ChunkEngine } from '../../compression/block';
import { parseBoolean, type Hgrc } from '../../store/hgrc';
import type { Requirements } from '../../store/requirements';
import { readSettings } from '../../store/userHgrc';

/** What becomes of a delta that comes with a revision: from a bundle, or from the revlog that is written again. */
export type DeltaReuse =
  /** Stored as it is whenever the limits allow it. */
  | 'always'
  /** Stored as it is where no other parent could do better; else one of the candidates. */
  | 'judge'
  /** Never looked at. */
  | 'never';

/** How revisions are stored in a revlog. */
export interface DeltaSettings {
  /** A delta may be against any earlier revision, not only against the one before. */
  isGeneraldelta: boolean;
  /** Deltas against snapshots may be snapshots, and chains are read with gaps left out. */
  isSparse: boolean;
  /** A merge's delta is made against both parents, and the smaller one kept; else against the later, if that will do. */
  bothParents: boolean;
  /** A whole text is stored where that takes fewer bytes than the best delta; else only where no delta will do. */
  comparesWhole: boolean;
  /** The most deltas in a chain; undefined for as many as the other limits allow. */
  maxChainLength?: number;
  /** The most bytes of a chain's chunks, as a multiple of the text. */
  maxChainRatio: number;
  /** The most bytes from a chain's first chunk to its last one, as a multiple of the text; undefined for any. */
  maxSpanRatio?: number;
  engine: ChunkEngine;
  /** Of the engine; undefined for its usual one. */
  level?: number;
  reuse: DeltaReuse;
}

/** What Mercurial 6.3.2 does with a repository that has `sparserevlog`. */
const usualChainLength = 1000;
const usualChainRatio = 2;
const usualSpanRatio = 4;

/**
 * The settings that requirements and configuration come to, by Mercurial's own names: `format.maxchainlen`,
 * `storage.revlog.optimize-delta-parent-choice` (in older versions `format.aggressivemergedeltas`),
 * `storage.revlog.reuse-external-delta`, `storage.revlog.reuse-external-delta-parent`, `storage.revlog.zlib.level` and
 * `storage.revlog.zstd.level`. Where nothing is said of reuse, a delta is judged again.
 *
 * @see `hg help config.format`, `hg help config.storage`
 */
export function deltaSettings(requirements: Requirements, hgrc: Hgrc): DeltaSettings {
  const isGeneraldelta = requirements.has('generaldelta');
  const isSparse = isGeneraldelta && requirements.has('sparserevlog');
  const storage = hgrc.get('storage');
  const format = hgrc.get('format');
  const engine = engineOf(requirements);
  return {
    isGeneraldelta,
    isSparse,
    bothParents:
      parseBoolean(storage?.get('revlog.optimize-delta-parent-choice')) ??
      parseBoolean(format?.get('aggressivemergedeltas')) ??
      true,
    comparesWhole: true,
    maxChainLength: wholeNumber(format?.get('maxchainlen')) ?? (isSparse ? usualChainLength : undefined),
    maxChainRatio: usualChainRatio,
    maxSpanRatio: isSparse ? undefined : usualSpanRatio,
    engine,
    level: wholeNumber(storage?.get(`revlog.${engine}.level`)),
    reuse: reuseOf(storage),
  };
}

/** The settings of a repository on disk, the user's own among them. @throws `corrupt` for an hgrc that is none */
export function repositoryDeltaSettings(hgFolder: string, requirements: Requirements): DeltaSettings {
  return deltaSettings(requirements, readSettings(hgFolder));
}

function engineOf(requirements: Requirements): ChunkEngine {
  if (requirements.has('revlog-compression-zstd') || requirements.has('exp-compression-zstd')) return 'zstd';
  return requirements.has('exp-compression-none') ? 'none' : 'zlib';
}

function reuseOf(storage: ReadonlyMap<string, string> | undefined): DeltaReuse {
  if (parseBoolean(storage?.get('revlog.reuse-external-delta')) === false) return 'never';
  return parseBoolean(storage?.get('revlog.reuse-external-delta-parent')) === true ? 'always' : 'judge';
}

function wholeNumber(value: string | undefined): number | undefined {
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined;
}
