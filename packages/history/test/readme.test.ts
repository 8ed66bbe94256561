import { readFileSync } from 'node:fs';
import { faults, ignoredMax } from '@emend/history';
import { expect, test } from 'vitest';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

test('the README lists the fault codes as the code does, in its order and words', () => {
  const rows = [...readme.matchAll(/^\| `([a-z_]+)` \| (.+) \|$/gm)].map(([, code, sentence]) => [code, sentence]);
  expect(rows).toEqual(Object.entries(faults));
});

test('the README says how many events without effect are remembered', () => {
  expect(readme).toContain(`the first ${ignoredMax} one by one`);
});
