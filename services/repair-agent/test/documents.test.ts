import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configTable, exitCodes } from '@emend/runtime';
import { describe, expect, it } from 'vitest';
import { disabledReasons, outcomes, refusals } from '../src/domain/activation.js';
import { evidenceRules } from '../src/domain/evidence.js';
import { failedCodes, notGeneratedCodes } from '../src/domain/failureCodes.js';
import { repairTable } from '../src/domain/repairTable.js';
import { repairAgentConfig } from '../src/index.js';

const read = (file: string): string => readFileSync(fileURLToPath(new URL(file, import.meta.url)), 'utf8');
const readme = read('../README.md');
const tables = read('../../../docs/decision-tables/repair-agent.md');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const codeRows = (codes: Readonly<Record<string, { readonly class: string; readonly sentence: string }>>) =>
  Object.entries(codes).map(([code, { class: kind, sentence }]) => [`\`${code}\``, `\`${kind}\``, sentence]);

describe('the documents say what the code does', () => {
  it.each([
    [
      'the four rows',
      table(
        ['row', 'state of the two places', 'step', 'meaning'],
        repairTable.map(({ id, state, step, sentence }) => [id, `\`${state}\``, step, sentence]),
      ),
    ],
    [
      'the rules of evidence',
      table(
        ['rule', 'name', 'holds when'],
        evidenceRules.map(({ id, name, sentence }) => [id, name, sentence]),
      ),
    ],
    ['what proves that nothing was generated', table(['code', 'class', 'meaning'], codeRows(notGeneratedCodes))],
    ['what ends a repair run', table(['code', 'class', 'meaning'], codeRows(failedCodes))],
    [
      'what an activation makes of the process',
      table(
        ['outcome', '`activation` on /health', 'log line', 'the process'],
        Object.entries(outcomes).map(([kind, { ok, logs, sentence }]) => [`\`${kind}\``, ok ? 'ok' : 'not ok', `\`${logs}\``, sentence]),
      ),
    ],
    [
      'why an agent is disabled',
      table(
        ['code', 'meaning'],
        Object.entries(disabledReasons).map(([code, sentence]) => [`\`${code}\``, sentence]),
      ),
    ],
    [
      'the refusals',
      table(
        ['code', 'meaning'],
        Object.entries(refusals).map(([code, sentence]) => [`\`${code}\``, sentence]),
      ),
    ],
  ])('%s', (_name, expected) => {
    expect(tables).toContain(expected);
  });

  it('the README has the table of settings', () => {
    expect(readme).toContain(configTable(repairAgentConfig));
  });

  it('the README has every exit code', () => {
    for (const code of Object.values(exitCodes)) expect(readme).toContain(`| ${code} |`);
  });
});
