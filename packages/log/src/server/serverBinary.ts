import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { LogError } from '../errors.js';

const COMMAND_OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
const VERSION_BOUND_MS = 10_000;

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly boundMs: number;
}

/** Runs a command to its end; throws with the last line it said. */
export function runCommand(command: Command): Promise<string> {
  const options = { maxBuffer: COMMAND_OUTPUT_BYTES_MAX, timeout: command.boundMs, env: { ...process.env, ...command.env } };
  return new Promise((resolve, reject) => {
    execFile(command.file, [...command.args], options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const said = stderr.trim().split('\n').at(-1);
      reject(new Error(said ? said : `${command.file} ended with ${error.code ?? error.signal ?? 'an error'}`));
    });
  });
}

/** The version a binary says it has; throws `server_failed` for what is no nats-server. */
export async function serverVersionOf(binary: string): Promise<string> {
  const said = await runCommand({ file: binary, args: ['--version'], boundMs: VERSION_BOUND_MS }).catch(() => '');
  const version = /nats-server: v?(\d+\.\d+\.\d+\S*)/.exec(said)?.[1];
  if (version === undefined) throw new LogError('server_failed', `${binary} is no nats-server`, [binary]);
  return version;
}

/** The full path of a program on the search path, or null. */
export async function onPath(program: string, env: Readonly<Record<string, string | undefined>>): Promise<string | null> {
  for (const folder of (env['PATH'] ?? '').split(delimiter).filter((f) => f !== '')) {
    const path = join(folder, program);
    if (await isExecutable(path)) return path;
  }
  return null;
}

export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
