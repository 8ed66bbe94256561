import { code, isNamePart, isNameStart, isQuote, plainStructure } from './characters.js';
import type { ContractView } from './contractView.js';
import type { Budget } from './limits.js';
import { endOfBlank } from './remarks.js';
import { judgeResidue } from './residue.js';
import { Scanner } from './scanner.js';
import { type Failure, Sheet } from './sheet.js';

/** One value in the text, closed in itself. */
export interface Candidate {
  readonly from: number;
  readonly to: number;
  readonly sheet: Sheet;
  readonly scanner: Scanner;
}

export type Located =
  | { readonly kind: 'found'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'failed'; readonly failure: Failure };

export interface Search {
  readonly text: string;
  readonly from: number;
  readonly view: ContractView;
  readonly levelsMax: number;
  readonly budget: Budget;
}

/**
 * Finds every value whose root the contract may have. What looks like a document and cannot be read stops the search: a value inside it is a piece,
 * not an answer. Brackets in prose that look like nothing are passed over.
 */
export function locate(search: Search): Located {
  const { text, view, levelsMax, budget } = search;
  const candidates: Candidate[] = [];
  let at = nextOpener(text, search.from);
  let bare = ['blank', 'fence'].includes(judgeResidue(text.slice(search.from, at), 'before'));
  let fenced = false;
  for (; at < text.length; at = nextOpener(text, at)) {
    budget.steps += 1;
    const isObject = plainStructure(text.charCodeAt(at)) === code.openBrace;
    const reference = view.rootMayBe.array || isObject ? -1 : endOfCitation(text, at);
    if (reference !== -1) at = reference;
    else if (!fenced && !looksLikeJson(text, at, bare) && !isListWhereDue(search, at)) at += 1;
    else {
      const sheet = new Sheet(text, budget);
      const scanner = new Scanner(sheet, view, levelsMax);
      const to = scanner.scan(at);
      if (to === -1) return { kind: 'failed', failure: sheet.failure ?? { kind: 'open' } };
      if (isObject ? view.rootMayBe.object : view.rootMayBe.array) candidates.push({ from: at, to, sheet, scanner });
      at = to;
    }
    bare = false;
    fenced = opensFence(text, at);
  }
  budget.steps += text.length - search.from;
  return { kind: 'found', candidates };
}

const opener = /[[{［｛]/g;

function nextOpener(text: string, from: number): number {
  opener.lastIndex = from;
  return opener.exec(text)?.index ?? text.length;
}

const fence = /(?:```|~~~)[A-Za-z0-9_+-]*/g;
/** Characters between a fence and the first bracket in it. */
const fencedMax = 320;

/** Whether the next bracket after `from` is the first thing in a fence: then it is a document, whatever it looks like, and never prose. */
function opensFence(text: string, from: number): boolean {
  const next = nextOpener(text, from);
  const start = Math.max(from, next - fencedMax);
  const last = [...text.slice(start, next).matchAll(fence)].at(-1);
  return last !== undefined && endOfBlank(text, start + last.index + last[0].length) === next;
}

const citation = /\[[^[\]{}"\n]{0,80}\]/y;

/** The end of a reference such as [2] or [see page 3] where no array is due, or -1. Nothing in it could be part of a document. */
function endOfCitation(text: string, at: number): number {
  citation.lastIndex = at;
  return citation.test(text) ? citation.lastIndex : -1;
}

/** In prose only what begins like JSON proper counts; where nothing stands before it, also a bare name or an empty container. */
function looksLikeJson(text: string, at: number, bare: boolean): boolean {
  const isObject = plainStructure(text.charCodeAt(at)) === code.openBrace;
  const first = endOfBlank(text, at + 1);
  const c = plainStructure(text.charCodeAt(first));
  if (isQuote(c)) return true;
  if (c === code.closeBrace || c === code.closeBracket || Number.isNaN(c)) return bare;
  if (isObject) return bare && startsWithName(text, first);
  // A number in brackets is a reference more often than a list.
  return bare || c === code.openBrace || c === code.openBracket;
}

/** Where the root may be an object or an array, a list of numbers or literals beside an object is another reading. */
const isListWhereDue = ({ text, view }: Search, at: number): boolean =>
  view.rootMayBe.object && view.rootMayBe.array && listStart.test(text.slice(at, at + 64));

const listStart = /^\[\s*(?:-?[0-9]|true\b|false\b|null\b)/;

function startsWithName(text: string, at: number): boolean {
  if (!isNameStart(text.charCodeAt(at))) return false;
  let end = at + 1;
  while (end < at + 256 && isNamePart(text.charCodeAt(end))) end += 1;
  return plainStructure(text.charCodeAt(endOfBlank(text, end))) === code.colon;
}
