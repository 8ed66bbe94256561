import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from './engine.js';
import type { StackFiles } from './stackFiles.js';
import type { Ran } from './shell.js';

const upLimitMs = 240_000;
const commandLimitMs = 60_000;
const downLimitMs = 120_000;
const askAgainMs = 250;

/** The compose project as deploy/ ships it, with one more file of settings. */
export interface Stack {
  readonly project: string;
  /** Without the overlays: both agents are under Docker's own seccomp profile, and no transcript is taken. */
  up(): Promise<void>;
  /** Beside it all of them: these three services alone are made anew. */
  upWithOverlays(): Promise<void>;
  compose(args: readonly string[], limitMs?: number): Promise<Ran>;
  /** One `emend` command in a container of its own, with its JSON. */
  emend<Result>(...args: readonly string[]): Promise<Result>;
  /** Where a service's port is on this machine. */
  address(service: string, port: number): Promise<string>;
  logs(): Promise<string>;
  /** Everything the project made, volumes included. */
  remove(): Promise<void>;
}

export function composeStack(engine: Engine, root: string, { override, refusedSandbox, ports }: StackFiles): Stack {
  const project = 'emend-test';
  const shipped = (name: string): readonly string[] => ['-f', path.join(root, 'deploy', name)];
  const composeOf = (files: readonly string[], args: readonly string[], limitMs: number): Promise<Ran> =>
    engine.docker(
      ['compose', '--ansi', 'never', '--project-name', project, '--env-file', ports, ...files, '-f', override, ...args],
      limitMs,
    );
  const plain = shipped('compose.yaml');
  const overlays = ['compose.repair.yaml', 'compose.runner.yaml', 'compose.transcripts.yaml'].flatMap(shipped);
  const compose = (args: readonly string[], limitMs = commandLimitMs): Promise<Ran> => composeOf([...plain, ...overlays], args, limitMs);
  const detached = ['up', '--detach', '--pull', 'never'];
  return {
    project,
    compose,
    up: async () => {
      await composeOf([...plain, '-f', refusedSandbox], detached, upLimitMs);
    },
    upWithOverlays: async () => {
      await compose([...detached, '--no-deps', 'repair-agent', 'runner', 'transcripts'], upLimitMs);
    },
    emend: async <Result>(...args: readonly string[]): Promise<Result> => {
      const { stdout } = await compose(['run', '--rm', '--no-deps', '--no-TTY', 'cli', ...args, '--json']);
      // Each command's JSON is read by the test that knows it.
      return JSON.parse(stdout) as Result;
    },
    address: async (service, port) => (await compose(['port', service, String(port)])).stdout.trim(),
    logs: async () => (await compose(['logs', '--no-color', '--tail', '40'])).output,
    remove: async () => {
      await compose(['down', '--volumes', '--remove-orphans', '--timeout', '20'], downLimitMs);
    },
  };
}

/** Asks until there is an answer. */
export async function until<Answer>(what: string, limitMs: number, ask: () => Promise<Answer | null | undefined>): Promise<Answer> {
  const startedMs = performance.now();
  while (performance.now() - startedMs < limitMs) {
    const answer = await ask();
    if (answer !== null && answer !== undefined) return answer;
    await pause(askAgainMs);
  }
  throw new Error(`${what}: not within ${limitMs} ms`);
}
