import { ContractsError } from '@emend/contracts';
import { type Dossier, effectiveRowText, reviewRowOf, reviewRowText, selectEffective } from '@emend/history';

/** The views, by the names of their buckets. Both have the run as key. */
export const viewNames = ['effective-output', 'review-queue'] as const;
export type ViewName = (typeof viewNames)[number];

/** The one that also holds the meta value. */
export const META_VIEW: ViewName = 'effective-output';

export type RowOf =
  | { readonly kind: 'row'; readonly text: string }
  /** The run has nothing to say in this view. */
  | { readonly kind: 'none' }
  /** A row that no bucket takes, or that has no canonical form: kept out by itself, and every other row goes on. */
  | { readonly kind: 'unstorable'; readonly code: 'row_too_large' | 'row_unstorable' };

/** The largest row, in bytes: what a bucket takes (deploy/jetstream.json) without the pair around it. */
export const ROW_BYTES_MAX = 262_144 - 128;

const BYTES_A_CHARACTER_MAX = 3;
const encoder = new TextEncoder();

const textOf: Readonly<Record<ViewName, (dossier: Dossier) => string | null>> = {
  'effective-output': (dossier) => {
    const row = selectEffective(dossier);
    return row && effectiveRowText(row);
  },
  'review-queue': (dossier) => {
    const row = reviewRowOf(dossier);
    return row && reviewRowText(row);
  },
};

/** What a dossier says in a view. */
export function rowOf(view: ViewName, dossier: Dossier | null): RowOf {
  if (dossier === null) return { kind: 'none' };
  try {
    const text = textOf[view](dossier);
    if (text === null) return { kind: 'none' };
    return isTooLarge(text) ? { kind: 'unstorable', code: 'row_too_large' } : { kind: 'row', text };
  } catch (error) {
    if (!(error instanceof ContractsError)) throw error;
    return { kind: 'unstorable', code: 'row_unstorable' };
  }
}

/** Counts bytes only where it could matter. */
const isTooLarge = (text: string): boolean =>
  text.length * BYTES_A_CHARACTER_MAX > ROW_BYTES_MAX && encoder.encode(text).byteLength > ROW_BYTES_MAX;
