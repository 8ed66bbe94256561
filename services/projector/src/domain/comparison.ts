import type { ViewValue } from './viewValue.js';

/** How a view as it stood compares with what a rebuild computed, generations aside. */
export interface Comparison {
  /** At the same position, with the same bytes. */
  readonly equal: number;
  /** At the same position with other bytes, or at one that the log's own fold does not have. */
  readonly different: number;
  /** At an earlier position: the live writer had not come so far. */
  readonly behind: number;
  /** Rows that the view did not have. */
  readonly missing: number;
  /** Rows that the log does not give. They were removed. */
  readonly surplus: number;
}

export type RowComparison = keyof Comparison;

export const nothingCompared: Comparison = { equal: 0, different: 0, behind: 0, missing: 0, surplus: 0 };

/** One row of a view against the rebuilt one; null stands for none. */
export function compareRow(existing: ViewValue | null, rebuilt: ViewValue | null): RowComparison {
  if (existing === null) return rebuilt === null ? 'equal' : 'missing';
  if (rebuilt === null) return 'surplus';
  if (existing.position < rebuilt.position) return 'behind';
  return existing.position === rebuilt.position && existing.row === rebuilt.row ? 'equal' : 'different';
}

/** Whether nothing was found that the log does not say. Rows on their way are no difference, rows lost are. */
export const isByteEqual = (all: readonly Comparison[]): boolean =>
  all.every(({ different, missing, surplus }) => different === 0 && missing === 0 && surplus === 0);
