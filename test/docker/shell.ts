import { spawn } from 'node:child_process';

export interface Command {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly limitMs: number;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  /** Both streams, in the order in which they came. */
  readonly output: string;
}

const lastLinesMax = 40;

/** Runs a command to its end, or to its limit. Never throws: a code is a result. */
export function attempt(command: string, args: readonly string[], { env = process.env, cwd, limitMs }: Command): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limitMs,
      killSignal: 'SIGKILL',
      ...(cwd ? { cwd } : {}),
    });
    let stdout = '';
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.once('error', (error) => resolve({ code: 127, stdout, output: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 137, stdout, output }));
  });
}

/** The same, where anything but 0 is the end of the test: with the end of what the command printed. */
export async function run(command: string, args: readonly string[], options: Command): Promise<Ran> {
  const ran = await attempt(command, args, options);
  if (ran.code === 0) return ran;
  throw new Error(`${command} ${args.join(' ')}: code ${ran.code} (limit ${options.limitMs} ms)\n${lastLines(ran.output)}`);
}

export const lastLines = (text: string): string => text.trimEnd().split('\n').slice(-lastLinesMax).join('\n');
