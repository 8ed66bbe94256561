import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configTable } from '@emend/runtime';
import { expect, test } from 'vitest';
import { judgmentsConfig } from '../src/config.js';
import { commandFaults } from '../src/domain/command.js';
import { rules } from '../src/domain/rules.js';

const root = join(import.meta.dirname, '../../..');
const readme = readFileSync(join(root, 'services/judgments/README.md'), 'utf8');
const decisions = readFileSync(join(root, 'docs/decision-tables/judgments.md'), 'utf8');

const tableUnder = (text: string, title: string): string =>
  (text.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .join('\n');

const codes = (list: readonly string[]): string => list.map((code) => `\`${code}\``).join(', ');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

test('the README has the settings of the code', () => {
  expect(tableUnder(readme, 'Settings')).toBe(configTable(judgmentsConfig));
});

test('the decision table has the rules of the code', () => {
  const rows = rules.map(({ id, sentence, codes: own, covers }) => [id, sentence, codes(own), covers]);
  expect(tableUnder(decisions, 'The rules')).toBe(table(['rule', 'refused when', 'codes', 'covers'], rows));
});

test('the decision table has the refusals of the door', () => {
  expect(tableUnder(decisions, 'Before a decision')).toBe(
    table(
      ['code', 'refused when'],
      Object.entries(commandFaults).map(([code, sentence]) => [codes([code]), sentence]),
    ),
  );
});
