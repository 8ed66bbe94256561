import type { Chance } from './chance.js';
import { type Piece, solid } from './lexed.js';

type Test = (piece: Piece, at: number) => boolean;

const untouched: Test = ({ raw, original }) => raw === original;

/** Changes one piece that passes the test, chosen by chance. */
export function one(pieces: readonly Piece[], chance: Chance, test: Test, change: (piece: Piece, at: number) => string): boolean {
  const fitting = pieces.flatMap((piece, at) => (untouched(piece, at) && test(piece, at) ? [at] : []));
  if (fitting.length === 0) return false;
  const at = chance.pick(fitting);
  const piece = pieces[at];
  if (piece === undefined) return false;
  piece.raw = change(piece, at);
  return piece.raw !== piece.original;
}

/** Changes every piece that passes the test. */
export function all(pieces: readonly Piece[], test: Test, change: (piece: Piece) => string): boolean {
  const fitting = pieces.filter((piece, at) => untouched(piece, at) && test(piece, at));
  for (const piece of fitting) piece.raw = change(piece);
  return fitting.some(({ raw, original }) => raw !== original);
}

export const isString: Test = ({ kind }) => kind === 'string';
export const isName: Test = ({ kind, role }) => kind === 'string' && role === 'name';
export const isText: Test = ({ kind, role }) => kind === 'string' && role === 'value';
export const content = (piece: Piece): string => piece.original.slice(1, -1);
export const delimited =
  (open: string, close = open) =>
  (piece: Piece): string =>
    `${open}${content(piece)}${close}`;

/** Takes the backslash from escaped quotes, or from the first of them. */
export function unquoted(raw: string, firstOnly = false): string {
  let left = firstOnly ? 1 : raw.length;
  return raw.replace(/\\(.)/g, (escape, what: string) => (what === '"' && left-- > 0 ? what : escape));
}

/** As Python's repr writes a string: single quotes, unless it holds an apostrophe and no double quote. */
export function pythonRepr(piece: Piece): string {
  const inner = content(piece);
  if (inner.includes("'") && !inner.includes('\\"')) return piece.original;
  return `'${inner.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

export const singles = (piece: Piece): string => delimited("'")(piece);
const remarks = ['two gates', 'unit of the survey', 'as agreed', 'see the plan'] as const;

export function remark(pieces: Piece[], chance: Chance, make: (words: string) => string): boolean {
  return one(
    pieces,
    chance,
    ({ kind, raw }) => kind === 'comma' || raw === '{',
    (piece) => `${piece.original}${make(chance.pick(remarks))}`,
  );
}

export function omission(pieces: Piece[], chance: Chance, mark: string): boolean {
  const fitting = pieces.flatMap((piece, at) => (piece.kind === 'comma' && untouched(piece, at) ? [at] : []));
  if (fitting.length === 0) return false;
  const at = chance.pick(fitting);
  const next = pieces.findIndex(
    (piece, index) => index > at && (piece.kind === 'number' || (piece.kind === 'string' && piece.role === 'value')),
  );
  const piece = pieces[next];
  if (piece === undefined || solid(pieces, next)?.kind === 'colon') return false;
  piece.raw = mark;
  return true;
}

/** Removes one character of those that hold a document together: never a letter or digit of its data. */
export function loseOne(pieces: Piece[], chance: Chance): boolean {
  const places = pieces.flatMap((piece, at) => lossesOf(piece).map((offset) => ({ at, offset })));
  if (places.length === 0) return false;
  const { at, offset } = chance.pick(places);
  const piece = pieces[at];
  if (piece === undefined) return false;
  piece.raw = piece.raw.slice(0, offset) + piece.raw.slice(offset + 1);
  return true;
}

function lossesOf(piece: Piece): readonly number[] {
  if (piece.kind === 'blank' || piece.kind === 'number' || piece.raw !== piece.original) return [];
  if (piece.kind !== 'string') return Array.from(piece.raw, (_, offset) => offset);
  // The delimiters, each backslash, and what makes an escape of it.
  const inside = [...piece.raw.matchAll(/\\(?:u[0-9a-f]{4}|.)/g)].flatMap(({ index, 0: escape }) =>
    Array.from(escape, (_, step) => index + step),
  );
  return [0, piece.raw.length - 1, ...inside];
}

/** Doubles a piece of structure, a delimiter, or the backslash before a quote. */
export function doubleOne(pieces: Piece[], chance: Chance): boolean {
  return one(
    pieces,
    chance,
    ({ kind }) => kind !== 'blank' && kind !== 'number' && kind !== 'literal',
    ({ kind, raw }) => {
      if (kind !== 'string') return raw + raw;
      return raw.includes('\\"') ? raw.replace('\\"', '\\\\"') : `"${raw}`;
    },
  );
}

const strayCharacters = ['"', ',', '}', ']', '{', '[', ':', '\\', "'", '`', '“', '/', '#', 'x', '0'] as const;

/** Writes a character between two pieces, or a quotation mark into a string. What it would add to the text of a string is data, not a fault. */
export function strayOne(pieces: Piece[], chance: Chance): boolean {
  return one(
    pieces,
    chance,
    ({ kind }) => kind !== 'blank',
    ({ kind, raw }) => {
      const at = chance.below(raw.length - 1) + 1;
      if (kind === 'string' && raw.charAt(at - 1) !== '\\' && chance.chance(0.5)) return `${raw.slice(0, at)}"${raw.slice(at)}`;
      return chance.pick(strayCharacters) + raw;
    },
  );
}

/** Exchanges the characters on both sides of a border between two pieces. */
export function swapTwo(pieces: Piece[], chance: Chance): boolean {
  const at = chance.below(pieces.length - 1);
  const [left, right] = [pieces[at], pieces[at + 1]];
  if (left === undefined || right === undefined || !untouched(left, at) || !untouched(right, at)) return false;
  const [last, first] = [left.raw.slice(-1), right.raw.slice(0, 1)];
  left.raw = left.raw.slice(0, -1) + first;
  right.raw = last + right.raw.slice(1);
  return last !== first;
}

export function beforeIs(pieces: readonly Piece[], at: number, kind: Piece['kind'], wanted: boolean): boolean {
  const before = pieces.slice(Math.max(0, at - 2), at).findLast((piece) => piece.kind !== 'blank');
  return (before?.kind === kind) === wanted;
}

/** Writes a member with a plain value once more, right after itself. */
export function twice(pieces: Piece[], chance: Chance, change: (value: string) => string): boolean {
  const isPlain: Test = (piece, at) => isName(piece, at) && ['string', 'number', 'literal'].includes(valueOf(pieces, at)?.kind ?? '');
  return one(pieces, chance, isPlain, (piece, at) => `${piece.original}:${change(valueOf(pieces, at)?.original ?? '')},${piece.original}`);
}

const valueOf = (pieces: readonly Piece[], at: number): Piece | undefined =>
  pieces.slice(at + 1, at + 5).filter(({ kind }) => kind !== 'blank')[1];

/** Strings have double quotes, all of them: escaped once more, a text in other quotes would only have its data changed. */
export const doubleQuoted = (text: string): boolean => /[[{]\s*"/.test(text) && !/[[{,:：，]\s*['“]/.test(text);

export function cutAfter(text: string, chance: Chance, what: RegExp): string | null {
  const places = [...text.matchAll(what)].slice(0, -1);
  return places.length === 0 ? null : text.slice(0, chance.pick(places).index + 1);
}
