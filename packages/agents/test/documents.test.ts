import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { unavailableCodes } from '../src/failureCodes.js';
import { recordingsErrorCodes } from '../src/recorded/recordingsError.js';

test('docs/sandbox.md says of every code what to do, and of no other', () => {
  const page = readFileSync(fileURLToPath(new URL('../../../docs/sandbox.md', import.meta.url)), 'utf8');
  const [, section = ''] = page.split('## What the answer means');
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  const codes = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, code]) => code ?? ''));
  expect(codes.toSorted()).toEqual(Object.keys(unavailableCodes).toSorted());
});

test('the README says why recordings cannot be played, code by code', () => {
  const readme = readFileSync(fileURLToPath(new URL('../README.md', import.meta.url)), 'utf8');
  for (const [code, sentence] of Object.entries(recordingsErrorCodes)) expect(readme).toContain(`| \`${code}\` | ${sentence} |`);
});
