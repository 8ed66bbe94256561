import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  AGAIN_FIRST_MS,
  AGAIN_MAX_MS,
  DISPOSE_MAX_MS,
  DRAIN_MAX_MS,
  FAULT_DELAY_MS,
  LOOP_ABANDON_MS,
  LOOP_DRAIN_MAX_MS,
  RETRY_DELAY_MAX_MS,
  configTable,
  exitCodes,
  processConfig,
  runtimeCodes,
} from '../src/index.js';

const readme = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8');

const tableUnder = (title: string): string => {
  const section = readme.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .join('\n');
};

const bounds = {
  LOOP_DRAIN_MAX_MS,
  LOOP_ABANDON_MS,
  DRAIN_MAX_MS,
  DISPOSE_MAX_MS,
  FAULT_DELAY_MS,
  RETRY_DELAY_MAX_MS,
  AGAIN_FIRST_MS,
  AGAIN_MAX_MS,
};

test.each([
  [
    'Exit codes',
    ['| code | name |', '| --- | --- |', ...Object.entries(exitCodes).map(([name, code]) => `| ${code} | ${name} |`)].join('\n'),
  ],
  ['Bounds', ['| what | ms |', '| --- | --- |', ...Object.entries(bounds).map(([name, ms]) => `| \`${name}\` | ${ms} |`)].join('\n')],
  ['Settings of every process', configTable(processConfig)],
  [
    'Codes',
    ['| code | says |', '| --- | --- |', ...Object.entries(runtimeCodes).map(([code, says]) => `| \`${code}\` | ${says} |`)].join('\n'),
  ],
])('the README says the same as the code: %s', (title, table) => expect(tableUnder(title)).toBe(table));

test('a loop drains before its process does, and both fit into the usual 30 s', () => {
  expect(LOOP_DRAIN_MAX_MS + LOOP_ABANDON_MS).toBeLessThan(DRAIN_MAX_MS);
  expect(DRAIN_MAX_MS + DISPOSE_MAX_MS).toBeLessThan(30_000);
});
