import { spawnSync } from 'node:child_process';
import { fstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, Socket } from 'node:net';
import { encodeFrame, FrameReader } from '../broker/framing.js';
import type { CanaryProbe, CanaryReport } from './canaryReport.js';

/**
 * A worker that tries what no worker may, and reports how each attempt ended. It holds nothing and is started by the self-test
 * alone, through the same launcher as every worker. It then waits to be killed.
 */
const channelFd = 3;
const probeBytesMax = 64 * 1024;
const descriptorsMax = 64;

/** Of the sandbox's own and of the host's: none may be written. */
const writePaths = ['/worker.cjs', '/node', '/emend-canary', '/tmp/emend-canary', '/dev/shm/emend-canary'];

function attempt(action: () => unknown): string {
  try {
    action();
    return 'done';
  } catch (error) {
    return codeOf(error);
  }
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.name : 'unknown';
}

const settled = (start: (done: (code: string) => void) => void): Promise<string> =>
  new Promise((resolve) => {
    try {
      start(resolve);
    } catch (error) {
      resolve(codeOf(error));
    }
  });

const connecting = (to: { readonly port: number } | { readonly path: string }): Promise<string> =>
  settled((done) => {
    const socket = 'port' in to ? connect(to.port, '127.0.0.1') : connect(to.path);
    socket.once('error', (error) => done(codeOf(error)));
    socket.once('connect', () => done('done'));
  });

const listening = (): Promise<string> =>
  settled((done) => {
    const server = createServer();
    server.once('error', (error) => done(codeOf(error)));
    server.listen(0, '127.0.0.1', () => done('done'));
  });

/**
 * Descriptors that could only have been inherited: a file, a folder or a socket beyond the channel. Node's own are pipes, events,
 * and one of its root, which it opens where there is no /dev/null.
 */
function openFiles(): number[] {
  const root = statSync('/');
  const found: number[] = [];
  for (let fd = channelFd + 1; fd < descriptorsMax; fd += 1) {
    try {
      const stat = fstatSync(fd);
      const ownRoot = stat.isDirectory() && stat.ino === root.ino && stat.dev === root.dev;
      if (stat.isFile() || stat.isSocket() || (stat.isDirectory() && !ownRoot)) found.push(fd);
    } catch {
      // Not open.
    }
  }
  return found;
}

async function probed({ port, parentPid, hostPaths }: CanaryProbe): Promise<CanaryReport> {
  const atStart = openFiles();
  const reading = (file: string) => attempt(() => (statSync(file).isDirectory() ? readdirSync(file) : readFileSync(file)));
  return {
    type: 'report',
    environment: Object.keys(process.env),
    user: process.getuid?.() ?? -1,
    reads: Object.fromEntries(hostPaths.map((file) => [file, reading(file)])),
    list: attempt(() => readdirSync('/')),
    writes: Object.fromEntries(writePaths.map((file) => [file, attempt(() => writeFileSync(file, 'x'))])),
    signalParent: attempt(() => process.kill(parentPid, 0)),
    signalSelf: attempt(() => process.kill(process.pid, 0)),
    fork: spawned(),
    // oxlint-disable-next-line typescript/no-implied-eval, typescript/no-unsafe-call -- the very thing that has to fail
    compile: attempt(() => new Function('return 1')() as unknown),
    openFiles: atStart,
    tcp: await connecting({ port }),
    listen: await listening(),
    unix: await connecting({ path: '\0emend' }),
  };
}

function spawned(): string {
  const { error } = spawnSync('/node', ['--version'], { stdio: 'pipe' });
  return error === undefined ? 'done' : codeOf(error);
}

const channel = new Socket({ fd: channelFd });
const frames = new FrameReader(() => probeBytesMax);
channel.on('data', (chunk) => {
  for (const message of frames.push(chunk).messages) {
    void probed(message as CanaryProbe).then((report) => channel.write(encodeFrame(report)));
  }
});
channel.on('end', () => process.exit(0));
channel.write(encodeFrame({ type: 'hello' }));
