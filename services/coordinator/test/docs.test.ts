import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configTable } from '@emend/runtime';
import { expect, it } from 'vitest';
import { coordinatorConfig } from '../src/config.js';
import { rules } from '../src/domain/eligibility.js';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

it('the decision table in docs is the one in the code', () => {
  const rows = rules.map(({ id, sentence, codes, covers }) => `| ${id} | ${sentence} | \`${codes.replaceAll('|', '\\|')}\` | ${covers} |`);
  expect(read('docs/decision-tables/eligibility.md')).toContain(
    ['| rule | a run is ineligible when | reason code | covers |', '| --- | --- | --- | --- |', ...rows].join('\n'),
  );
});

it('the settings in the README are the ones in the code', () => {
  expect(read('services/coordinator/README.md')).toContain(configTable(coordinatorConfig));
});
