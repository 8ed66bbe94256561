import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configTable } from '@emend/runtime';
import { expect, it } from 'vitest';
import { commandExitCodes } from '../src/commands.js';
import { exporterConfig } from '../src/config.js';
import { gates } from '../src/domain/gates.js';
import { trajectories } from '../src/domain/trajectory.js';
import { exporterErrorCodes } from '../src/errors.js';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const table = (head: readonly string[], rows: readonly string[]): string =>
  [`| ${head.join(' | ')} |`, `| ${head.map(() => '---').join(' | ')} |`, ...rows].join('\n');

it('the decision table in docs is the one in the code', () => {
  const coded = (codes: string): string =>
    codes
      .split(' | ')
      .map((code) => `\`${code}\``)
      .join(', ');
  const rows = gates.map(({ id, sentence, codes, covers }) => `| ${id} | ${sentence} | ${coded(codes)} | ${covers} |`);
  expect(read('docs/decision-tables/export.md')).toContain(
    table(['gate', 'a trajectory is withheld when', 'reason codes', 'covers'], rows),
  );
});

it('so is the allow-list of trajectories', () => {
  const rows = Object.entries(trajectories).map(([type, { allowed, order }]) => `| \`${type}\` | ${allowed ? 'yes' : 'no'} | ${order} |`);
  expect(read('docs/decision-tables/export.md')).toContain(table(['trajectory', 'on the allow-list', 'order'], rows));
});

it('the settings in the README are the ones in the code', () =>
  expect(read('services/exporter/README.md')).toContain(configTable(exporterConfig)));

it('so are its error codes and exit codes', () => {
  const codes = Object.entries(exporterErrorCodes).map(([code, says]) => `| \`${code}\` | ${says} |`);
  expect(read('services/exporter/README.md')).toContain(table(['code', 'says'], codes));
  const exits = Object.entries(commandExitCodes).map(([name, code]) => `| ${code} | ${name} |`);
  expect(read('services/exporter/README.md')).toContain(table(['code', 'name'], exits));
});
