import { parseArgs } from 'node:util';
import { loadConfig } from '@emend/runtime';
import { readSettingsInForce } from '../adapters/settingsInForce.js';
import { transcriptsConfig } from '../config.js';
import type { Out } from './out.js';

/** `settings`: what each stage goes by once file, environment and catalogue are put together. No key is read. */
export async function settingsCommand(args: readonly string[], env: NodeJS.ProcessEnv, out: Out): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean', default: false } } });
  const { stages, catalogue } = await readSettingsInForce(loadConfig(transcriptsConfig, env));
  const modelOf = (profile: string): string => `${profile} (${catalogue.tiers[profile]?.model ?? ''})`;
  const rows = Object.entries(stages).map(([name, { budget, profile, repairProfile }]) => [
    name,
    modelOf(profile),
    String(budget),
    modelOf(repairProfile),
  ]);
  out.say(values.json ? JSON.stringify(stages) : columns([['stage', 'profile', 'repair.max_attempts', 'repair.profile'], ...rows]));
  return 0;
}

/** Cells under each other, two spaces apart. */
function columns(rows: readonly (readonly string[])[]): string {
  const widthOf = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widthOf(column)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
