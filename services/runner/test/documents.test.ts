import { readFileSync } from 'node:fs';
import { configTable, exitCodes } from '@emend/runtime';
import { describe, expect, it } from 'vitest';
import { disabledReasons, outcomes, refusals } from '../src/domain/activation.js';
import { failedCodes, notGeneratedCodes } from '../src/domain/failureCodes.js';
import { retryTable } from '../src/domain/retries.js';
import { startTable } from '../src/domain/startPosition.js';
import { runnerConfig } from '../src/index.js';

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');
const readme = read('../README.md');
const tables = read('../../../docs/decision-tables/runner.md');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const codeRows = (codes: Readonly<Record<string, { readonly class: string; readonly sentence: string }>>) =>
  Object.entries(codes).map(([code, { class: kind, sentence }]) => [`\`${code}\``, `\`${kind}\``, sentence]);
const sentences = (codes: Readonly<Record<string, string>>) => Object.entries(codes).map(([code, sentence]) => [`\`${code}\``, sentence]);

describe('the documents say what the code does', () => {
  it.each([
    [
      'what follows an invocation',
      table(
        ['row', 'the invocation', 'retries left', 'given up', 'step', 'meaning'],
        retryTable.map(({ id, ended, left, givenUp, step, sentence }) => [id, ended, left, givenUp, step, sentence]),
      ),
    ],
    [
      'where a runner starts',
      table(
        ['row', 'source', 'unclaimed', 'claimed, without an end'],
        startTable.map(({ id, source, unclaimed, claimed }) => [id, source, unclaimed, claimed]),
      ),
    ],
    ['what proves that nothing was generated', table(['code', 'class', 'meaning'], codeRows(notGeneratedCodes))],
    ['what ends a run', table(['code', 'class', 'meaning'], codeRows(failedCodes))],
    [
      'what an activation makes of the process',
      table(
        ['outcome', '`activation` on /health', 'log line', 'the process'],
        Object.entries(outcomes).map(([kind, { ok, logs, sentence }]) => [`\`${kind}\``, ok ? 'ok' : 'not ok', `\`${logs}\``, sentence]),
      ),
    ],
    ['why a runner is disabled', table(['code', 'meaning'], sentences(disabledReasons))],
    ['the refusals', table(['code', 'meaning'], sentences(refusals))],
  ])('%s', (_name, expected) => {
    expect(tables).toContain(expected);
  });

  it('the README has the table of settings', () => {
    expect(readme).toContain(configTable(runnerConfig));
  });

  it('the README has every exit code', () => {
    for (const code of Object.values(exitCodes)) expect(readme).toContain(`| ${code} |`);
  });
});
