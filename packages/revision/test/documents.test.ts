import { readFileSync } from 'node:fs';
import { dispositions, effectiveBudget, effectiveProfile, refusalReasons, replyFaults, type RevisionSettings } from '@emend/revision';
import { describe, expect, test } from 'vitest';
import { assess, chainOf } from '../src/assess.js';
import { type BranchNews, branchTable, decideBranch } from '../src/branchTable.js';
import { revisionErrorCodes } from '../src/errors.js';
import type { Assessment, Validator } from '../src/validator.js';
import { verdictOf, verdictTable } from '../src/verdict.js';

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');
const tables = read('../../../docs/decision-tables/revision.md');
const readme = read('../README.md');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const codeRows = (codes: Readonly<Record<string, string>>) => Object.entries(codes).map(([code, sentence]) => [`\`${code}\``, sentence]);

describe('docs/decision-tables/revision.md says what the code does', () => {
  test.each([
    [
      'the verdicts',
      table(
        ['row', 'verdict', 'the first that holds'],
        verdictTable.map(({ id, verdict, sentence }) => [id, `\`${verdict}\``, sentence]),
      ),
    ],
    [
      'the branch',
      table(
        ['row', 'what became known', 'attempts', 'next', 'why'],
        branchTable.map(({ id, news, attempts, next, sentence }) => [
          id,
          `\`${news}\``,
          attempts,
          next === 'ask' ? 'ask' : `\`${next}\``,
          sentence,
        ]),
      ),
    ],
    ['the faults of a reply', table(['code', 'meaning'], codeRows(replyFaults))],
    ['the refusals of a document', table(['code', 'meaning'], codeRows(refusalReasons))],
    ['the dispositions', table(['disposition', 'meaning'], codeRows(dispositions))],
  ])('%s', (_name, expected) => {
    expect(tables).toContain(expected);
  });

  test('the branch table has one row for each thing that can become known, with and without attempts left', () => {
    const all: readonly BranchNews[] = branchTable.map(({ news }) => news);
    for (const news of new Set(all)) {
      for (const [attempts, left] of [
        ['left', 1],
        ['none', 0],
      ] as const) {
        const rows = branchTable.filter((row) => row.news === news && (row.attempts === 'any' || row.attempts === attempts));
        expect(rows).toEqual([decideBranch(news, left)]);
      }
    }
  });
});

describe('the examples of one candidate in the chain', () => {
  const words: Readonly<Record<string, Assessment>> = {
    approves: { kind: 'approved' },
    finds: { kind: 'findings', findings: [{ code: 'wrong', explanation: 'It is wrong.' }] },
    'finds `no_effect`': { kind: 'findings', findings: [{ code: 'no_effect', explanation: 'It changes nothing.' }] },
    'is unavailable': { kind: 'unavailable', code: 'provider_outage' },
    'has nothing to say': { kind: 'not_applicable' },
  };
  const examples = rowsAfter('| span | target | claims, needs span | meaning, asks a model, needs span |');

  test('are there', () => {
    expect(examples.length).toBeGreaterThanOrEqual(12);
  });

  test.each(examples)('span %s: target %s, claims %s, meaning %s', async (...example) => {
    const [span, target, claims, meaning, on, off] = example;
    const ran: string[] = [];
    const check = (id: string, word: string, more: Partial<Validator<string>> = {}): Validator<string> => ({
      id,
      kind: 'deterministic',
      needs: ['span'],
      assess() {
        ran.push(id);
        return words[word] ?? Promise.reject(new Error(`no such word: ${word}`));
      },
      ...more,
    });
    const outcome = async (collectsAll: boolean): Promise<string> => {
      ran.length = 0;
      // The host's order has the model first; the engine runs it last.
      const chain = chainOf([
        check('meaning', meaning ?? '', { kind: 'model_backed' }),
        check('target', target ?? '', { needs: [] }),
        check('claims', claims ?? ''),
      ]);
      const candidate = { lineage: { root: 'p1', version: 1 }, proposal: 'x' };
      const scope = { facts: span === 'there' ? ['span'] : [], collectsAll, signal: new AbortController().signal };
      const assessed = await assess(chain, candidate, scope);
      return `\`${verdictOf(assessed)}\`: ${ran.join(', ')}`;
    };
    expect([await outcome(true), await outcome(false)]).toEqual([on, off]);
  });
});

describe('the examples of settings', () => {
  const value = (cell: string | undefined) => (cell === '' || cell === undefined ? undefined : cell);
  const number = (cell: string | undefined) => (value(cell) === undefined ? undefined : Number(cell));
  const budgets = rowsAfter('| root `repair.max_attempts` | stage `repair.max_attempts` |');
  const profiles = rowsAfter('| root profile | root `repair.profile` |');

  test('are there', () => {
    expect([budgets.length, profiles.length]).toEqual([8, 8]);
  });

  test.each(budgets)('root %s, stage %s: budget %s', (root, stage, budget) => {
    const settings = (cell: string | undefined): RevisionSettings => ({ repair: { maxAttempts: number(cell) } });
    const decide = () => effectiveBudget(settings(root), settings(stage));
    if (budget === '`budget_invalid`') expect(decide).toThrow('budget_invalid');
    else expect(decide()).toBe(Number(budget));
  });

  test.each(profiles)('root %s and repair %s, stage %s and repair %s: %s', (root, rootRepair, stage, stageRepair, profile) => {
    const settings = (own: string | undefined, repair: string | undefined): RevisionSettings => ({
      profile: value(own),
      repair: { profile: value(repair) },
    });
    const decide = () => effectiveProfile(settings(root, rootRepair), settings(stage, stageRepair));
    if (profile === '`profile_missing`') expect(decide).toThrow('profile_missing');
    else expect(decide()).toBe(profile);
  });

  test('a scope that says nothing at all is the same as empty ones', () => {
    expect([effectiveBudget({}), effectiveProfile({ profile: 'small' })]).toEqual([1, 'small']);
  });
});

test('the README names every code of an error', () => {
  const named = [...(readme.split('## Errors')[1] ?? '').matchAll(/^\| `(\w+)` \| .+ \|$/gm)].map(([, code]) => code);
  expect(named).toEqual([...revisionErrorCodes]);
});

/** The cells of the rows of the table whose head begins so. */
function rowsAfter(head: string): readonly (readonly string[])[] {
  const [, after = ''] = tables.split(head);
  const lines = after.split('\n').slice(2);
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(0, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
