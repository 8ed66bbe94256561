import type { ViewValue } from './viewValue.js';

export interface PutFacts {
  /** What stands under the key; null for nothing. */
  readonly existing: ViewValue | null;
  readonly ours: ViewValue;
  /** The last sequence of the log that stands behind `ours`. */
  readonly foldedTo: number;
}

export type PutDecision =
  | { readonly kind: 'put' }
  | { readonly kind: 'skip'; readonly reason: 'same' | 'ahead' }
  | { readonly kind: 'stop'; readonly cause: 'newer_generation' | 'view_diverged' };

/**
 * Whether a row may be written over what stands there: only a smaller pair is overwritten. A view that says something else
 * of the same events than this fold does has diverged, and no put can say which of the two is right.
 */
export function decidePut({ existing, ours, foldedTo }: PutFacts): PutDecision {
  if (existing === null || existing.generation < ours.generation) return { kind: 'put' };
  if (existing.generation > ours.generation) return { kind: 'stop', cause: 'newer_generation' };
  if (existing.position < ours.position) return { kind: 'put' };
  if (existing.position > foldedTo) return { kind: 'skip', reason: 'ahead' };
  const same = existing.position === ours.position && existing.row === ours.row;
  return same ? { kind: 'skip', reason: 'same' } : { kind: 'stop', cause: 'view_diverged' };
}
