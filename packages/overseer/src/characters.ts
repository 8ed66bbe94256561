/** UTF-16 codes with a name. */
export const code = {
  quote: 34,
  hash: 35,
  apostrophe: 39,
  star: 42,
  plus: 43,
  comma: 44,
  minus: 45,
  slash: 47,
  colon: 58,
  openBracket: 91,
  backslash: 92,
  closeBracket: 93,
  openBrace: 123,
  closeBrace: 125,
} as const;

export const isSpace = (c: number): boolean => c === 32 || c === 10 || c === 13 || c === 9;

/** White space that JSON does not know, and characters without a width. */
export const isInvisible = (c: number): boolean =>
  c >= 0xa0 && (c === 0xa0 || c === 0xfeff || (c >= 0x200b && c <= 0x200f) || c === 0x2060 || c === 0x3000 || c === 0x2028 || c === 0x2029);

export const isDigit = (c: number): boolean => c >= 48 && c <= 57;
const isAsciiLetter = (c: number): boolean => (c >= 97 && c <= 122) || (c >= 65 && c <= 90);
export const isHex = (c: number): boolean => isDigit(c) || (c >= 97 && c <= 102) || (c >= 65 && c <= 70);
/** `[A-Za-z_$]`. */
export const isNameStart = (c: number): boolean => isAsciiLetter(c) || c === 95 || c === 36;
export const isNamePart = (c: number): boolean => isNameStart(c) || isDigit(c) || c === code.minus;

const letterOrDigit = /[\p{L}\p{N}]/u;
/** A letter or digit of any script. A surrogate counts: it is never punctuation that we know. */
export const isWordCharacter = (c: number): boolean =>
  c < 128
    ? isAsciiLetter(c) || isDigit(c)
    : !Number.isNaN(c) && ((c >= 0xd800 && c <= 0xdfff) || letterOrDigit.test(String.fromCharCode(c)));

/** The ASCII character that a full-width one stands for; any other code as it is. */
export function plainStructure(c: number): number {
  if (c < 0xff0c) return c;
  switch (c) {
    case 0xff0c:
      return code.comma;
    case 0xff1a:
      return code.colon;
    case 0xff3b:
      return code.openBracket;
    case 0xff3d:
      return code.closeBracket;
    case 0xff5b:
      return code.openBrace;
    case 0xff5d:
      return code.closeBrace;
    default:
      return c;
  }
}

const isCurlyDouble = (c: number): boolean => (c >= 0x201c && c <= 0x201f) || c === 0xff02;
const isCurlySingle = (c: number): boolean => c === 0x2018 || c === 0x2019 || c === 0xff07;

/** A character that may open a string. */
export const isQuote = (c: number): boolean =>
  c === code.quote || c === code.apostrophe || (c > 0x2000 && (isCurlyDouble(c) || isCurlySingle(c)));

/** Whether `c` may close what `opener` opened. ASCII quotes are closed by themselves; curly ones by any of their width. */
export function closesQuote(opener: number, c: number): boolean {
  if (opener === code.quote || opener === code.apostrophe) return c === opener;
  return isCurlyDouble(opener) ? c === code.quote || isCurlyDouble(c) : c === code.apostrophe || isCurlySingle(c);
}

export const isApostrophe = (c: number): boolean => c === code.apostrophe || c === 0x2019;
