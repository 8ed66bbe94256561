import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { unavailableCodes } from '../src/failureCodes.js';

test('docs/sandbox.md says of every code what to do, and of no other', () => {
  const page = readFileSync(fileURLToPath(new URL('../../../docs/sandbox.md', import.meta.url)), 'utf8');
  const [, section = ''] = page.split('## What the answer means');
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  const codes = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, code]) => code ?? ''));
  expect(codes.toSorted()).toEqual(Object.keys(unavailableCodes).toSorted());
});
