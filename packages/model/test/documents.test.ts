import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { diagnosticClasses, type FinishMeaning } from '@emend/contracts';
import { describe, expect, it } from 'vitest';
import {
  modelErrorCodes,
  modelFailedCodes,
  modelNotGeneratedCodes,
  providerSignals,
  type SignalRow,
  structuredOutputs,
} from '../src/index.js';

const read = (file: string): string => readFileSync(fileURLToPath(new URL(file, import.meta.url)), 'utf8');
const page = read('../../../docs/decision-tables/model.md');
const readme = read('../README.md');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const codes = { ...modelNotGeneratedCodes, ...modelFailedCodes };
/** What `judgeCompletion` makes of a finish reason. */
const judged: Readonly<Record<FinishMeaning, string>> = {
  complete: 'the contract’s',
  truncated: '`truncated`',
  refused: '`refused`',
  tool_call: '`tool_call`',
  unknown: 'the contract’s, or `truncated`',
};

const signalRow = (row: SignalRow): readonly string[] =>
  'code' in row
    ? [row.signal, `\`${row.code}\``, `\`${codes[row.code].class}\``]
    : [row.signal, `finish: ${row.finish}`, judged[row.finish]];

const codeRows = (of: Readonly<Record<string, { readonly class: string; readonly sentence: string }>>) =>
  Object.entries(of).map(([code, { class: kind, sentence }]) => [`\`${code}\``, `\`${kind}\``, sentence]);

describe('the page of decisions says what the code does', () => {
  it.each([
    ['every signal', table(['signal', 'becomes', 'class'], Object.values(providerSignals).map(signalRow))],
    ['what proves that nothing was generated', table(['code', 'class', 'meaning'], codeRows(modelNotGeneratedCodes))],
    ['what may have generated', table(['code', 'class', 'meaning'], codeRows(modelFailedCodes))],
    [
      'why there is no model',
      table(
        ['code', 'meaning'],
        Object.entries(modelErrorCodes).map(([code, sentence]) => [`\`${code}\``, sentence]),
      ),
    ],
  ])('%s', (_name, expected) => {
    expect(page).toContain(expected);
  });
});

it('every code has a signal and one of the closed classes', () => {
  const signalled = new Set(Object.values(providerSignals).flatMap((row) => ('code' in row ? [row.code] : [])));
  expect([...signalled].toSorted()).toEqual(Object.keys(codes).toSorted());
  for (const row of Object.values(codes)) expect(diagnosticClasses).toContain(row.class);
});

it('the README has every dialect', () => {
  for (const dialect of structuredOutputs) expect(readme).toContain(`| \`${dialect}\` |`);
});
