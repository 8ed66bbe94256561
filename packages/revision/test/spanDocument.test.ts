import { applyInOrder, applySpan, type Branch, locateSpan, type SpanEdit, spanDocument, textsOf } from '@emend/revision';
import { describe, expect, test } from 'vitest';
import { edit } from './shop.js';

/** What each edit in turn came to, and the text in the end. */
function applied(text: string, edits: readonly SpanEdit[], protectedTerms: readonly string[] = []) {
  const branches = edits.map(
    (proposal, index): Branch<SpanEdit> => ({
      candidate: { lineage: { root: `p${index + 1}`, version: 1 }, proposal },
      end: 'approved',
      code: null,
      findings: [],
      spent: { attempts: 0, structuralRepairs: 0, transportRetries: 0, usage: [] },
    }),
  );
  const { document, outcomes } = applyInOrder(branches, spanDocument({ description: text }, protectedTerms), applySpan);
  return [textsOf(document).get('description'), ...outcomes.map(({ code }) => code ?? 'applied')];
}

describe('an edit of one span', () => {
  test.each<[string, string, readonly SpanEdit[], readonly (string | undefined)[]]>([
    ['replaces its place', 'one two three', [edit('two', '2')], ['one 2 three', 'applied']],
    ['deletes it with an empty replacement', 'one two three', [edit('two ', '')], ['one three', 'applied']],
    ['goes beside another, in any order', 'one two three', [edit('three', '3'), edit('one', '1')], ['1 two 3', 'applied', 'applied']],
    ['may touch another', 'ab', [edit('b', 'B'), edit('a', 'A')], ['AB', 'applied', 'applied']],
    ['refers to the text before all edits', 'one two', [edit('one', 'two'), edit('two', '2')], ['two 2', 'applied', 'applied']],
    [
      'overlaps one that came first',
      'one two three',
      [edit('one two', '12'), edit('two three', '23')],
      ['12 three', 'applied', 'conflict'],
    ],
    ['lies inside one that came first', 'one two three', [edit('one two three', '123'), edit('two', '2')], ['123', 'applied', 'conflict']],
    ['equals one that came first', 'one two', [edit('one', '1'), edit('one', '1')], ['1 two', 'applied', 'conflict']],
    [
      'leaves its place to the next where it was refused',
      'one one two',
      [edit('one', '1'), edit('one two', '1 2')],
      ['one 1 2', 'stale', 'applied'],
    ],
    ['is stale where its text is not', 'one two', [edit('three', '3')], ['one two', 'stale']],
    ['is stale where its text is twice', 'aaa', [edit('aa', 'b')], ['aaa', 'stale']],
    ['is stale where it names no text', 'one two', [edit('one', '1', 'title')], ['one two', 'stale']],
    ['is stale where it names what every object has', 'one two', [edit('one', '1', '__proto__')], ['one two', 'stale']],
    ['is stale without an original', 'one two', [edit('', 'x')], ['one two', 'stale']],
  ])('%s', (_name, text, edits, expected) => {
    expect(applied(text, edits)).toEqual(expected);
  });
});

describe('a protected term', () => {
  test.each<[string, string, readonly string[], readonly SpanEdit[], readonly (string | undefined)[]]>([
    ['is not replaced', 'at Kilo Quay', ['Kilo Quay'], [edit('at Kilo Quay', 'at the quay')], ['at Kilo Quay', 'protected']],
    ['is not cut', 'at Kilo Quay', ['Kilo Quay'], [edit('Quay', 'Key')], ['at Kilo Quay', 'protected']],
    ['is not joined to another word', 'at Kilo Quay', ['Kilo Quay'], [edit('at ', 'at')], ['at Kilo Quay', 'protected']],
    ['may stay in what replaces it', 'at Kilo Quay', ['Kilo Quay'], [edit('at Kilo Quay', 'by Kilo Quay')], ['by Kilo Quay', 'applied']],
    ['is a whole word', 'in Yorkshire', ['York'], [edit('Yorkshire', 'Kent')], ['in Kent', 'applied']],
    [
      'may have signs in it and around it',
      'see 4.2(b), now',
      ['4.2(b)'],
      [edit('4.2(b)', '4.2b'), edit('now', 'soon')],
      ['see 4.2(b), soon', 'protected', 'applied'],
    ],
    [
      'is not lost to two edits that are harmless alone',
      'x. Kilo',
      ['Kilo'],
      [edit('.', ''), edit(' ', '')],
      ['x Kilo', 'applied', 'protected'],
    ],
    [
      'stays though another edit wrote it once more',
      'Kilo x',
      ['Kilo'],
      [edit('x', 'Kilo'), edit('Kilo ', '')],
      ['Kilo Kilo', 'applied', 'protected'],
    ],
    ['is known in every alphabet', 'на Киев-е', ['Киев'], [edit('-', '')], ['на Киев-е', 'protected']],
  ])('%s', (_name, text, terms, edits, expected) => {
    expect(applied(text, edits, terms)).toEqual(expected);
  });
});

test('a span is found, or there is a code for why not', () => {
  expect(locateSpan('one two', 'two')).toEqual({ kind: 'found', start: 4, end: 7 });
  expect(locateSpan('one two', 'six')).toEqual({ kind: 'span_not_found' });
  expect(locateSpan('one one', 'one')).toEqual({ kind: 'span_ambiguous' });
});

test('a document is not changed by what is applied to it', () => {
  const before = spanDocument({ description: 'one two' });
  applySpan(before, edit('one', '1'));
  expect(textsOf(before).get('description')).toBe('one two');
});
