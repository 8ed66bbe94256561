import { expect, it } from 'vitest';
import { runIdOf, runNamed } from '../src/index.js';

const id = runIdOf({ producer: 'notes', reference: 'a/b c' });

it.each([
  ['an id', id, id],
  ['an id that begins with a dash', `-${'a'.repeat(21)}`, `-${'a'.repeat(21)}`],
  ['a producer and its reference, which may hold anything', 'notes/a/b c', id],
  ['a word', 'note', null],
  ['an id with a character more', `${id}x`, null],
  ['a producer that is no token', 'no tes/a', null],
  ['a producer without a reference', 'notes/', null],
])('a run named by %s', (_what, text, run) => {
  expect(runNamed(text)).toBe(run);
});
