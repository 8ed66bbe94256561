import { canonicalText, deeperThan, outputDepthMax } from './canonical.js';
import type { IssueCode } from './diagnostics.js';
import { quotesOf } from './events/spelling.js';
import type { JsonValue } from './outputContracts/definition.js';

export type StrictJson = { readonly kind: 'parsed'; readonly value: JsonValue } | { readonly kind: 'refused'; readonly code: IssueCode };

/**
 * Part of the policy's identity: which texts count as JSON, and by its hash the closed list of edits that may make one of a text
 * (packages/overseer, whose tests compare).
 */
export const decoderVersion = 'strict-json@1 lossless-edits@1:2ffd493f31434e6e';

/**
 * Reads a text as I-JSON (RFC 7493) or says why not. Nothing is picked and nothing is mended:
 * a name given twice with different values, a lone surrogate and an integer that a double cannot hold are refused.
 */
export function parseStrictJson(text: string, levelsMax = outputDepthMax): StrictJson {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return { kind: 'refused', code: codeOfUnreadable(text, levelsMax) };
  }
  if (isPlain(text, value, levelsMax)) return { kind: 'parsed', value };
  if (deeperThan(value, levelsMax)) return { kind: 'refused', code: 'too_deep' };
  const found = scan(text);
  return found === null ? { kind: 'parsed', value } : { kind: 'refused', code: found };
}

/**
 * A quick proof that `JSON.parse` lost nothing: every name and text of the value takes two quotation marks, so a name given twice leaves some over.
 * Only an escape by number could hide a lone surrogate. Where the proof fails the text may still be fine, and is looked at slowly.
 */
const isPlain = (text: string, value: JsonValue, levelsMax: number): boolean =>
  !text.includes('\\u') && text.isWellFormed() && quotesIn(text) === quotesOf(value, levelsMax);

/** The quotation marks that stand without a backslash. */
function quotesIn(text: string): number {
  let quotes = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (before >= 0 && text.charCodeAt(before) === 92) before -= 1;
    if ((at - before) % 2 === 1) quotes += 1;
  }
  return quotes;
}

function codeOfUnreadable(text: string, levelsMax: number): IssueCode {
  if (text.trim() === '') return 'empty';
  if (openContainers(text).deepest > levelsMax) return 'too_deep';
  return severalDocuments(text) ? 'several_documents' : 'not_json';
}

/** The `{` and `[` outside strings of a text that need not be JSON: how many are open at its end, and the most that ever were. */
export function openContainers(text: string): { readonly atEnd: number; readonly deepest: number } {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = depth > 0;
    else if (character === '{' || character === '[') {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if ((character === '}' || character === ']') && depth > 0) depth -= 1;
  }
  return { atEnd: depth, deepest };
}

/** JSON Lines in one answer: more than one line, and each line a document. Other run-together shapes are plainly not JSON. */
function severalDocuments(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 1 && lines.every(isDocument);
}

function isDocument(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** An open container while the scan is inside it; an object remembers where each name's value stood. */
interface Open {
  readonly names: Map<string, string> | null;
  name: string | null;
  valueStart: number;
}

/** Looks at a text that parses for what `JSON.parse` lets through. One pass, no recursion. */
function scan(text: string): IssueCode | null {
  const open: Open[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text[at];
    const top = open.at(-1);
    if (character === '"') {
      const end = endOfString(text, at);
      const word = JSON.parse(text.slice(at, end)) as string;
      if (!word.isWellFormed()) return 'lone_surrogate';
      if (top?.names && top.name === null) top.name = word;
      at = end;
    } else if (character === '{' || character === '[') {
      open.push({ names: character === '{' ? new Map() : null, name: null, valueStart: at + 1 });
      at += 1;
    } else if (character === '}' || character === ']' || character === ',') {
      if (top && closesMember(top, text.slice(top.valueStart, at))) return 'duplicate_name';
      if (character !== ',') open.pop();
      at += 1;
    } else if (character === ':') {
      at += 1;
      if (top) top.valueStart = at;
    } else if (character === '-' || (character !== undefined && character >= '0' && character <= '9')) {
      const end = endOfNumber(text, at);
      if (!isSafeNumber(text.slice(at, end))) return 'number_unsafe';
      at = end;
    } else at += 1;
  }
  return null;
}

/** Ends the member in hand. True where its name was given before with another value. */
function closesMember(top: Open, value: string): boolean {
  if (top.names === null || top.name === null) return false;
  const earlier = top.names.get(top.name);
  top.names.set(top.name, value);
  top.name = null;
  return earlier !== undefined && canonicalText(JSON.parse(earlier)) !== canonicalText(JSON.parse(value));
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && '0123456789+-.eE'.includes(text[at] ?? ' ')) at += 1;
  return at;
}

/** Finite, and where it is written as an integer, or its canonical form is, one that a double holds exactly. */
function isSafeNumber(word: string): boolean {
  const value = Number(word);
  return Number.isFinite(value) && (Number.isSafeInteger(value) || !(integer.test(word) || integer.test(String(value))));
}

const integer = /^-?[0-9]+$/;
