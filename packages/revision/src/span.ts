/** A stretch of a text in UTF-16 code units; `end` is the first that no longer belongs to it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export type Located = ({ readonly kind: 'found' } & Span) | { readonly kind: 'span_not_found' } | { readonly kind: 'span_ambiguous' };

/** The one place where `text` reads `original`. An empty original is nowhere. */
export function locateSpan(text: string, original: string): Located {
  const start = original === '' ? -1 : text.indexOf(original);
  if (start < 0) return { kind: 'span_not_found' };
  if (text.includes(original, start + 1)) return { kind: 'span_ambiguous' };
  return { kind: 'found', start, end: start + original.length };
}
