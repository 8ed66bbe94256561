import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runTable } from '../src/decisions/index.js';

const tables = readFileSync(new URL('../../../docs/decision-tables/runs.md', import.meta.url), 'utf8');

describe('the documents say what the code does', () => {
  it('the rows of an attempt', () => {
    const rows = runTable.map(({ id, state, step, sentence }) => `| ${id} | \`${state}\` | ${step} | ${sentence} |`);
    expect(tables).toContain(['| row | state of the two places | step | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n'));
  });
});
