/**
 * A quick proof that a text of JSON says nothing but what `JSON.parse` made of it: no name given twice, no number that a
 * double rounds, no escape that could hide either or a lone surrogate. Where it fails the text may still be fine, and is looked
 * at slowly. Every name and every text takes two quotation marks, so that a member lost by `JSON.parse` leaves some over.
 */
export function isPlainlySpelled(bytes: Uint8Array, quotes: number): boolean {
  return quotesIn(bytes) === quotes;
}

/** What {@link quotesOf} gives for a value that nests too deep. */
export const tooDeep = Number.POSITIVE_INFINITY;

/** More than the quotation marks of any event. */
const unsafe = -1_000_000;

/**
 * The quotation marks that a value takes without escapes; {@link tooDeep} past `levels` arrays and objects one inside the other;
 * below zero where it holds a number that may have been rounded. Recursive, since the depth is bounded.
 */
export function quotesOf(value: unknown, levels: number): number {
  if (typeof value === 'string') return 2;
  if (typeof value === 'number') return isExact(value) ? 0 : unsafe;
  if (typeof value !== 'object' || value === null) return 0;
  if (levels === 0) return tooDeep;
  let quotes = 0;
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) quotes += quotesOf(item, levels - 1);
    return quotes;
  }
  // `for in` takes a third of the time of `Object.keys`. A name it might inherit makes the sum too large, and the look a slow one.
  for (const name in value) quotes += 2 + quotesOf((value as Readonly<Record<string, unknown>>)[name], levels - 1);
  return quotes;
}

const isExact = (value: number): boolean => Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));

const quotationMark = 0x22;
const backslash = 0x5c;

/** -1 where there is an escape. */
function quotesIn(bytes: Uint8Array): number {
  let quotes = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quotationMark) quotes += 1;
    else if (byte === backslash) return -1;
  }
  return quotes;
}
