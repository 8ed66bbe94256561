/** An id of ours may begin with `-`, which a parser of options takes for an option. So it travels through the parser in disguise. */
const disguise = 'id:';
const idLikeAnOption = /^-[A-Za-z0-9_-]{21}$/;

export const disguiseIds = (words: readonly string[]): string[] =>
  words.map((word) => (idLikeAnOption.test(word) ? disguise + word : word));

export const plainId = (word: string): string => (word.startsWith(`${disguise}-`) ? word.slice(disguise.length) : word);
