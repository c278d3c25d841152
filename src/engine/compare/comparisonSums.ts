import type { RevlogRole } from '../survey/storeRevlogs';
import type { StoredWay } from './compareTask';
import type { PolicyName } from './policies';
import { addShapes, diskBytes, emptyShape, type StoreShape } from './storeShape';

/** A shape for each way to store that was looked at. */
export type ShapesByWay = Partial<Record<PolicyName | 'as-is', StoreShape>>;

/** Many revlogs together under every policy. */
export interface ComparisonSums {
  total: ShapesByWay;
  /** Of those, the manifests. */
  manifests: ShapesByWay;
  /** Bytes on disk after an optimisation, which leaves out what is too large to be replaced. */
  optimized: Partial<Record<PolicyName | 'as-is', number>>;
  tooLarge: number;
}

/** Of no revlog. */
export function noSums(): ComparisonSums {
  return { total: {}, manifests: {}, optimized: {}, tooLarge: 0 };
}

/** Adds a revlog. */
export function addSums(sums: ComparisonSums, ways: readonly StoredWay[], role: RevlogRole, isTooLarge: boolean): void {
  for (const { policy, shape } of ways) {
    add(sums.total, policy, shape);
    if (role === 'manifest' || role === 'tree') add(sums.manifests, policy, shape);
    const bytes = diskBytes(isTooLarge ? ways[0].shape : shape);
    sums.optimized[policy] = (sums.optimized[policy] ?? 0) + bytes;
  }
  if (isTooLarge) sums.tooLarge++;
}

/** All shares together. */
export function sumOfSums(all: readonly ComparisonSums[]): ComparisonSums {
  const sums = noSums();
  for (const { total, manifests, optimized, tooLarge } of all) {
    for (const policy of Object.keys(total) as (keyof ShapesByWay)[]) {
      add(sums.total, policy, total[policy]);
      if (manifests[policy] !== undefined) add(sums.manifests, policy, manifests[policy]);
      sums.optimized[policy] = (sums.optimized[policy] ?? 0) + (optimized[policy] ?? 0);
    }
    sums.tooLarge += tooLarge;
  }
  return sums;
}

function add(shapes: ShapesByWay, policy: keyof ShapesByWay, shape: StoreShape = emptyShape): void {
  shapes[policy] = addShapes(shapes[policy] ?? emptyShape, shape);
}
