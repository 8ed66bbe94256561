/** From the freest to the closest; the order is the lattice. */
export const privacyLevels = ['public', 'sensitive', 'private'] as const;
export type Privacy = (typeof privacyLevels)[number];

export const sourceClasses = ['public-source', 'restricted-source'] as const;
export type SourceClass = (typeof sourceClasses)[number];

/** What an envelope says of its privacy. A word we do not know, or none, counts as `private`. */
export function readPrivacy(word: unknown): Privacy {
  return privacyLevels.find((level) => level === word) ?? 'private';
}

/** What an envelope says of its source class. A word we do not know, or none, counts as `restricted-source`. */
export function readSourceClass(word: unknown): SourceClass {
  return sourceClasses.find((known) => known === word) ?? 'restricted-source';
}

/** The join of the lattice: the closest of all (T95, T116). No input at all is `private`, since nothing vouches for less. */
export function joinPrivacy(levels: readonly Privacy[]): Privacy {
  if (levels.length === 0) return 'private';
  const closest = Math.max(...levels.map((level) => privacyLevels.indexOf(readPrivacy(level))));
  return privacyLevels[closest] ?? 'private';
}

/** Public only where every participant is (T124). */
export function joinSourceClass(classes: readonly SourceClass[]): SourceClass {
  return classes.length > 0 && classes.every((one) => one === 'public-source') ? 'public-source' : 'restricted-source';
}
