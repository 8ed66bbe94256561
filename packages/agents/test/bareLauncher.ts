import { spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { outputBytesMax } from '../src/limits.js';
import type { Launcher, WorkerExit } from '../src/sandbox/launcher.js';

interface BareChange {
  readonly env?: NodeJS.ProcessEnv;
  readonly user?: number;
}

/** A launcher of the tests alone: the worker as a plain process, so that the broker's rules are tried where no sandbox can be had. */
export const bareLauncher = (file: string, { env = {}, user }: BareChange = {}): Launcher => ({
  launch() {
    const child = spawn(process.execPath, [file], {
      env,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      ...(user === undefined ? {} : { uid: user, gid: user }),
    });
    const channel = child.stdio[3] as Duplex;
    channel.on('error', () => {});
    let outputBytes = 0;
    const flooded = new Promise<void>((resolve) => {
      const count = (chunk: Buffer) => {
        outputBytes += chunk.length;
        if (outputBytes > outputBytesMax) resolve();
      };
      child.stdout?.on('data', count);
      child.stderr?.on('data', count);
    });
    const ended = new Promise<WorkerExit>((resolve) => child.once('close', (code, signal) => resolve({ code, signal, outputBytes })));
    return { pid: child.pid, channel, ended, flooded, kill: () => void child.kill('SIGKILL') };
  },
});
