import type { Role } from './ahead.js';

/** What the reader of strings must know of the place: what stood before in the same container. */
export interface Surroundings {
  readonly role: Role;
  /** The member's own name is one of the contract's. */
  readonly nameKnown: boolean;
  /** The array holds a string already. */
  readonly afterString: boolean;
}

/** One string on the way to its closer, and what was seen in it. */
export interface OpenString {
  /** Where its opening quotation mark stands, and which one it is. */
  readonly open: number;
  readonly opener: number;
  readonly place: Surroundings;
  /** Positions of quotation marks that were taken for text, and of backslashes before a double quote. */
  readonly inner: number[];
  readonly escapedQuotes: number[];
  /** Backslashes that are text. */
  strays: number;
  /** Double quotes as they are, in a string of other quotes. */
  foreignQuotes: number;
  /** A raw control character was seen. */
  controls: boolean;
  /** An escape was seen in the text before the string. */
  readonly escapedBefore: boolean;
}

export const openString = (open: number, opener: number, place: Surroundings, escapedBefore: boolean): OpenString => ({
  open,
  opener,
  place,
  inner: [],
  escapedQuotes: [],
  strays: 0,
  foreignQuotes: 0,
  controls: false,
  escapedBefore,
});
