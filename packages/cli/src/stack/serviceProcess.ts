import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
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
  const child = spawn(process.execPath, [serviceProgram(home, service), 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
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
  const file = createWriteStream(logFile, { flags: 'a' });
  file.on('error', () => {}); // A full disk must not end the stack: the log of a service is no truth.
  child.stderr?.pipe(file, { end: false });
  return new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout ?? process.stdin }).on('line', (line) => {
      file.write(`${line}\n`);
      if (line.includes('"process.ready"')) resolve();
    });
    void ended.then((code) => reject(new CliError('service_failed', `${service}, exit code ${code ?? 'none'}`, `what ${logFile} says`)));
  });
}

/** Runs a one-shot command of a service in the foreground and gives its exit code back. */
export function runServiceCommand(home: string, service: ServiceName, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, [serviceProgram(home, service), ...args], { env, stdio: 'inherit' });
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
