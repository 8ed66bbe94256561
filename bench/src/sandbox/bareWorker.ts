import { spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import type { Launcher, WorkerExit } from '@emend/agents';

/** The calibration: the same worker file as a plain process of the same Node, without a sandbox or a flag. */
export const bareWorker = (file: string): Launcher => ({
  launch() {
    const child = spawn(process.execPath, [file], { env: {}, cwd: '/', stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    const channel = child.stdio[3] as Duplex;
    channel.on('error', () => {});
    const ended = new Promise<WorkerExit>((resolve) => child.once('close', (code, signal) => resolve({ code, signal, outputBytes: 0 })));
    return { pid: child.pid, channel, ended, flooded: new Promise(() => {}), kill: () => void child.kill('SIGKILL') };
  },
});
