import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { CliError } from '../errors.js';
import { type ServiceName, serviceProgram } from './home.js';

export interface ServiceOptions {
  readonly home: string;
  readonly service: ServiceName;
  readonly env: NodeJS.ProcessEnv;
  /** Everything the service prints. */
  readonly logFile: string;
}

export interface ServiceProcess {
  readonly service: ServiceName;
  readonly pid: number;
  /** Resolves when the service says that it is ready; rejects with `service_failed` when it ends before. */
  readonly ready: Promise<void>;
  /** The exit code, or null where a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Asks it to drain, and waits. */
  stop(): Promise<void>;
  kill9(): Promise<void>;
}

/** Starts one service as a process of its own. */
export function startService({ home, service, env, logFile }: ServiceOptions): ServiceProcess {
  // Its standard input is a lifeline: where this process dies, however it dies, the service sees the end of it and drains.
  const child = spawn(process.execPath, [serviceProgram(home, service), 'serve'], {
    env: { ...env, EMEND_LIFELINE: 'stdin' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const ready = readiness(child, service, logFile, ended);
  ready.catch(() => {}); // Whoever waits hears of it; nobody has to.
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  return { service, pid: child.pid ?? 0, ready, ended, stop: () => end('SIGTERM'), kill9: () => end('SIGKILL') };
}

function readiness(child: ChildProcess, service: ServiceName, logFile: string, ended: Promise<number | null>): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        keepLine(logFile, line);
        if (line.includes('"process.ready"')) resolve();
      });
    }
    void ended.then((code) => reject(new CliError('service_failed', `${service}, exit code ${code ?? 'none'}`, `what ${logFile} says`)));
  });
}

/** The log of a service is no truth: on a full disk a line is lost, and the next one is tried again. */
function keepLine(logFile: string, line: string): void {
  try {
    appendFileSync(logFile, `${line}\n`);
  } catch {
    // Nowhere to write it.
  }
}

/** Runs a one-shot command of a service in the foreground and gives its exit code back. */
export function runServiceCommand(home: string, service: ServiceName, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, [serviceProgram(home, service), ...args], { env, stdio: 'inherit' });
  // A terminal signals both; a supervisor only us.
  process.once('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

/** The same, for a program that wants what it printed: standard output as text, errors to ours. */
export async function readServiceCommand(
  home: string,
  service: ServiceName,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ readonly exitCode: number; readonly output: string }> {
  const child = spawn(process.execPath, [serviceProgram(home, service), ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
  let output = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) output += String(chunk);
  return { exitCode: await ended, output };
}
