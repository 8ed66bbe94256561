import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Definitions, parseDefinitions } from '@emend/log';
import { CliError } from '../errors.js';

/** Services that are commands of their own: `emend` starts them as processes and imports nothing of theirs. */
export const serviceNames = ['coordinator', 'repair-agent', 'runner', 'transcripts', 'judgments', 'projector', 'exporter'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Where the services and the shipped files are: EMEND_HOME, or the folder above this program that has `services` and `deploy`. */
export function findHome(env: NodeJS.ProcessEnv, from: string = import.meta.dirname): string {
  if (env['EMEND_HOME']) return env['EMEND_HOME'];
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'services')) && existsSync(join(folder, 'deploy'))) return folder;
  }
  throw new CliError('home_missing', from, 'EMEND_HOME, or a folder above this program with services and deploy');
}

/** The program of a service. @throws CliError `service_missing` */
export function serviceProgram(home: string, service: ServiceName): string {
  const program = join(home, 'services', service, 'dist', 'main.js');
  if (!existsSync(program)) throw new CliError('service_missing', service, 'a built service: npm run build');
  return program;
}

/** The definitions that bootstrap compares the broker with. @throws CliError `definitions_unreadable`, LogError `definition_invalid` */
export async function readDefinitions(home: string, file = join(home, 'deploy', 'jetstream.json')): Promise<Definitions> {
  let written: unknown;
  try {
    written = JSON.parse(await readFile(file, 'utf8'));
  } catch {
    throw new CliError('definitions_unreadable', file, 'a JSON file');
  }
  return parseDefinitions(written);
}
