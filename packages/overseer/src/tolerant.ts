import { canonicalText, type JsonValue, parseStrictJson } from '@emend/contracts';
import { accountsFor } from './account.js';
import type { Outcome } from './decoded.js';
import { listEdits } from './editList.js';
import { type EditCode, type Mark, outsideCodes } from './edits.js';
import { type Candidate, locate } from './locate.js';
import { ambiguous, contractViolation, empty, invalidJson, isCutOff, type Reading, refusedStrictly, truncated, unread } from './reading.js';
import { isRefusalText } from './refusals.js';
import { judgeResidue, type Residue, type Side } from './residue.js';
import { Scanner } from './scanner.js';
import { Sheet } from './sheet.js';
import { peel } from './wrapping.js';
import { respell } from './wholeText.js';

/** A text that is not strict JSON: peel, find the one value, read it, account for it, check it. */
export function readTolerantly(reading: Reading): Outcome {
  const { text, budget, meaning } = reading;
  const peeled = peel(text, reading.wrapping);
  if (peeled.kind === 'no_answer') return meaning === 'unknown' ? truncated : empty;
  const { from, to } = peeled;
  budget.steps += text.length;
  const payload = text.slice(from, to);
  if (judgeResidue(payload, 'before') !== 'prose' && !/[{[｛［\p{L}\p{N}]/u.test(payload.replace(/```\w*/g, '')))
    return nothingThere(reading, payload);

  const whole = respell(payload);
  if (whole !== null) return readWhole(reading, from, to, whole);

  // The text of every sheet ends where the payload ends; positions stay those of the whole text.
  const inner = text.slice(0, to);
  const located = locate({ text: inner, from, view: reading.view, levelsMax: reading.limits.levelsMax, budget });
  if (located.kind === 'failed') return unread(reading, payload, located.failure);
  const [first] = located.candidates;
  if (first === undefined) return isRefusalText(payload) ? { status: 'refused' } : withoutValue(reading, payload, from);
  return readCandidates(reading, { inner, from, marks: peeled.marks, candidates: [first, ...located.candidates.slice(1)] });
}

function nothingThere(reading: Reading, payload: string): Outcome {
  const blank = payload.replace(/```\w*/g, '').trim() === '';
  if (!blank) return invalidJson(reading, 'no_value', 0);
  return reading.meaning === 'unknown' ? truncated : empty;
}

const withoutValue = (reading: Reading, payload: string, from: number): Outcome =>
  isCutOff(payload) ? truncated : invalidJson(reading, 'no_value', from);

interface Payload {
  readonly inner: string;
  readonly from: number;
  /** Of what was peeled off. */
  readonly marks: readonly Mark[];
  readonly candidates: readonly [Candidate, ...Candidate[]];
}

function readCandidates(reading: Reading, payload: Payload): Outcome {
  const around = judgeSurroundings(reading, payload);
  if (around.kind === 'refused') return around.outcome;
  const values = new Map<string, JsonValue>();
  const rewrittenBefore = new Set<string>();
  for (const candidate of payload.candidates) {
    const rewritten = candidate.sheet.rewritten(candidate.from, candidate.to);
    if (rewrittenBefore.has(rewritten) || values.size === readingsMax) continue;
    rewrittenBefore.add(rewritten);
    const read = readOne(reading, payload.inner, candidate, rewritten);
    if (read.kind === 'refused') return read.outcome;
    values.set(payload.candidates.length > 1 ? canonicalText(read.value) : '', read.value);
  }
  if (values.size > 1) return ambiguous(reading, 'several_values', payload.candidates[1]?.from ?? 0, values.size);
  const [value = null] = values.values();
  const marks = [...payload.marks, ...around.marks, ...payload.candidates.flatMap(({ sheet }) => sheet.marks)];
  // Without a word that we know, nothing proves that the answer ended.
  if (reading.meaning === 'unknown' && (around.mayGoOn || marks.some((mark) => !outsideCodes.has(mark.code)))) return truncated;
  return judged(reading, value, marks);
}

/** More readings than this are not counted. */
const readingsMax = 8;

function judged(reading: Reading, value: JsonValue, marks: readonly Mark[]): Outcome {
  const { issues, issueCount } = reading.view.check(value, reading.bytes);
  if (issueCount > 0) return contractViolation(value, issues, issueCount);
  return { status: 'repaired', value, edits: listEdits(reading.text, reading.bytes, marks) };
}

type Read = { readonly kind: 'value'; readonly value: JsonValue } | { readonly kind: 'refused'; readonly outcome: Outcome };

/** The value of one candidate: its rewritten text, read strictly, with every letter accounted for. */
function readOne(reading: Reading, inner: string, { from, to, sheet }: Candidate, rewritten: string): Read {
  const strict = parseStrictJson(rewritten, reading.limits.levelsMax);
  reading.budget.steps += rewritten.length;
  if (strict.kind === 'refused') return { kind: 'refused', outcome: refusedStrictly(reading, strict.code) };
  if (sheet.marks.length > 0) {
    reading.budget.steps += to - from;
    if (!accountsFor(inner.slice(from, to), from, sheet.marks, rewritten)) {
      return { kind: 'refused', outcome: invalidJson(reading, 'accounting', from) };
    }
  }
  return { kind: 'value', value: strict.value };
}

type Surroundings =
  | { readonly kind: 'plain'; readonly marks: readonly Mark[]; readonly mayGoOn: boolean }
  | { readonly kind: 'refused'; readonly outcome: Outcome };

/** Judges what stands before, between and after the values, and takes extra closers off the end. */
function judgeSurroundings(reading: Reading, { inner, from, candidates }: Payload): Surroundings {
  const marks: Mark[] = [];
  const kinds: Residue[] = [];
  let at = from;
  for (const [index, candidate] of [...candidates, null].entries()) {
    let end = candidate?.from ?? inner.length;
    if (candidate === null) {
      const closers = /^[\s}]*\}/.exec(inner.slice(at))?.[0] ?? '';
      if (closers !== '') {
        const refused = judgeClosers(reading, inner, { candidates, closers, afterProse: kinds[0] === 'prose' });
        if (refused !== null) return { kind: 'refused', outcome: refused };
        marks.push({ code: 'extra_closer', from: at, to: at + closers.length, text: '' });
        at += closers.length;
      }
      end = inner.length;
    }
    const side: Side = index === 0 ? 'before' : candidate === null ? 'after' : 'between';
    const kind = judgeResidue(inner.slice(at, end), side);
    if (!isDeclared(kind, reading)) return { kind: 'refused', outcome: invalidJson(reading, 'residue', at) };
    const editCode = editCodeOf(kind);
    if (editCode !== null) marks.push({ code: editCode, from: at, to: end, text: '' });
    kinds.push(kind);
    at = candidate?.to ?? end;
  }
  if (candidates.length > 1)
    marks.push({ code: 'copies_collapsed', from: candidates[1]?.from ?? 0, to: candidates.at(-1)?.to ?? 0, text: '' });
  const openFence = kinds[0] === 'fence' && kinds.at(-1) === 'blank';
  return { kind: 'plain', marks, mayGoOn: openFence || kinds.includes('prose') };
}

const editCodeOf = (kind: Residue): EditCode | null => (kind === 'fence' ? 'fence_removed' : kind === 'prose' ? 'prose_removed' : null);

function isDeclared(kind: Residue, { wrapping }: Reading): boolean {
  if (kind === 'suspicious') return false;
  return kind === 'blank' || (kind === 'fence' ? wrapping.fences : wrapping.prose);
}

interface Closers extends Pick<Payload, 'candidates'> {
  readonly closers: string;
  readonly afterProse: boolean;
}

/**
 * Extra closers are dropped after an object alone, and only where no other closer could be the extra one: an object that closed inside an object
 * and was followed by a further member might have gone on.
 */
function judgeClosers(reading: Reading, inner: string, { candidates, closers, afterProse }: Closers): Outcome | null {
  const [only] = candidates;
  const inDoubt = (): Outcome => ambiguous(reading, 'closer_in_doubt', only.to, 2);
  if (inner.charAt(only.to - 1) !== '}' && inner.charAt(only.to - 1) !== '｝') return invalidJson(reading, 'bracket', only.to);
  // The extra one may have changed places with the quotation mark of the last string.
  const swapped = /[}\]]["'”]?[}\]\s]*$/.test(inner.slice(Math.max(only.from, only.to - 64), only.to).replace(/[}\]\s]+$/, ''));
  // What looks like prose may be the name of a member whose object lost its opener.
  if (afterProse || candidates.length > 1 || only.scanner.members.tooManySeams || swapped) return inDoubt();
  if (closers.trim().length > 1) return only.scanner.members.seams.length > 0 ? inDoubt() : null;
  for (const seam of only.scanner.members.seams) {
    const text = `${inner.slice(only.from, seam)} ${inner.slice(seam + 1, only.to)}${closers}`;
    const sheet = new Sheet(text, reading.budget);
    const to = new Scanner(sheet, reading.view, reading.limits.levelsMax).scan(0);
    if (to !== text.length) continue;
    const strict = parseStrictJson(sheet.rewritten(0, to), reading.limits.levelsMax);
    if (strict.kind === 'parsed' && reading.view.check(strict.value, reading.bytes).issueCount === 0) return inDoubt();
  }
  return null;
}

function readWhole(reading: Reading, from: number, to: number, whole: { readonly code: EditCode; readonly text: string }): Outcome {
  const strict = parseStrictJson(whole.text, reading.limits.levelsMax);
  reading.budget.steps += whole.text.length;
  if (strict.kind === 'refused') return isCutOff(reading.text.slice(from, to)) ? truncated : invalidJson(reading, 'value', from);
  if (reading.meaning === 'unknown') return truncated;
  return judged(reading, strict.value, [{ code: whole.code, from, to, text: '' }]);
}
