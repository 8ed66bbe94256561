import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { attempt, lastLines, run, type Ran } from './shell.js';

// Debian's own files by their full names: a `docker` of the search path may be another program, for another engine.
const dockerd = '/usr/sbin/dockerd';
const docker = '/usr/bin/docker';
const debootstrap = '/usr/sbin/debootstrap';

const installLimitMs = 240_000;
const startLimitMs = 60_000;
const stopLimitMs = 60_000;
const folderPrefix = 'emend-docker-';
/** What Debian 13, of which the base image is made, has. */
const baseNodeMajor = '20';

/** An engine of this test's own: socket, data and processes under one temporary folder. */
export interface Engine {
  readonly folder: string;
  /** Surroundings in which a `docker` speaks to this engine. */
  readonly env: NodeJS.ProcessEnv;
  docker(args: readonly string[], limitMs: number): Promise<Ran>;
  /** The end of its own log. */
  logEnd(): string;
  stop(): Promise<void>;
}

/** Why the suite cannot run here, or null. */
export function whyNoEngine(): string | null {
  if (process.getuid?.() !== 0) return 'starting a container engine needs root';
  if (!existsSync('/usr/bin/apt-get')) return "the engine and the base image are made of Debian's packages, and apt-get is not here";
  if (process.versions.node.split('.')[0] !== baseNodeMajor)
    return `the base image has Node ${baseNodeMajor}, this is ${process.versions.node}: compiled addons would not load`;
  return null;
}

/** Installs what is missing, and starts an engine. @param cache where what takes long is kept between runs */
export async function startEngine(root: string, cache: string): Promise<Engine> {
  await removeLeftovers();
  await installPackages();
  const folder = await mkdtemp(path.join(tmpdir(), folderPrefix));
  await writeFile(path.join(folder, 'owner'), String(process.pid));
  await installCompose(root, cache, path.join(folder, 'config'));
  const logFile = path.join(folder, 'log');
  const socket = `unix://${path.join(folder, 'docker.sock')}`;
  const at = (name: string): string => path.join(folder, name);
  const args = ['-H', socket, '--data-root', at('data'), '--exec-root', at('exec'), '--pidfile', at('pid'), '--bridge', 'none'];
  // Through a shell, so that its log goes to a file that outlives this process.
  const child = spawn('/bin/sh', ['-c', 'exec "$@" >"$0" 2>&1', logFile, dockerd, ...args], { stdio: 'ignore' });
  const endWithUs = (): void => void child.kill('SIGTERM');
  process.once('exit', endWithUs);
  const ended = once(child, 'exit');
  const env = { ...process.env, DOCKER_HOST: socket, DOCKER_CONFIG: at('config'), EMEND_DOCKER: docker };
  const engine: Engine = {
    folder,
    env,
    docker: (words, limitMs) => run(docker, words, { env, limitMs }),
    logEnd: () => (existsSync(logFile) ? lastLines(readFileSync(logFile, 'utf8')) : 'no log'),
    stop: async () => {
      process.removeListener('exit', endWithUs);
      child.kill('SIGTERM');
      const stopped = await Promise.race([ended.then(() => true), pause(stopLimitMs, false, { ref: false })]);
      if (!stopped) child.kill('SIGKILL');
      await ended;
      await removeFolder(folder);
    },
  };
  try {
    await untilAnswering(engine, child);
  } catch (error) {
    const log = engine.logEnd();
    await engine.stop();
    throw new Error(`the engine did not start:\n${log}`, { cause: error });
  }
  return engine;
}

async function untilAnswering(engine: Engine, child: { readonly exitCode: number | null }): Promise<void> {
  const startedMs = performance.now();
  while (performance.now() - startedMs < startLimitMs) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    if ((await attempt(docker, ['info'], { env: engine.env, limitMs: 10_000 })).code === 0) return;
    await pause(200);
  }
  throw new Error(`it did not answer within ${startLimitMs} ms`);
}

async function installPackages(): Promise<void> {
  const missing = [
    ...(existsSync(dockerd) ? [] : ['docker.io']),
    ...(existsSync(debootstrap) ? [] : ['debootstrap']),
    ...((await attempt('mountpoint', ['-q', '/sys/fs/cgroup'], { limitMs: 10_000 })).code === 0 ? [] : ['cgroupfs-mount']),
  ];
  if (missing.length === 0) return;
  console.log(`docker suite: installing the Debian packages ${missing.join(', ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = ['-qq', 'install', '-y', '--no-install-recommends', ...missing];
  if ((await attempt('apt-get', install, { env, limitMs: installLimitMs })).code !== 0) {
    // A fresh system has no package lists yet.
    await run('apt-get', ['-qq', 'update'], { env, limitMs: installLimitMs });
    await run('apt-get', install, { env, limitMs: installLimitMs });
  }
  if (missing.includes('cgroupfs-mount')) await run('cgroupfs-mount', [], { limitMs: 10_000 });
}

/** Debian 12 has no `docker compose`; the plugin of Debian 13, unpacked, works with its engine. */
async function installCompose(root: string, cache: string, config: string): Promise<void> {
  const plugins = path.join('usr', 'libexec', 'docker', 'cli-plugins');
  const unpacked = path.join(cache, 'compose');
  if (!existsSync(path.join(unpacked, plugins, 'docker-compose')))
    await run(path.join(root, 'scripts', 'debian-package.sh'), ['docker-compose', 'trixie', unpacked], { limitMs: installLimitMs });
  await mkdir(config, { recursive: true });
  await cp(path.join(unpacked, plugins), path.join(config, 'cli-plugins'), { recursive: true });
}

/** What a killed run left: its engine, and its folder. Only where the process that made it is gone. */
async function removeLeftovers(): Promise<void> {
  const folders = (await readdir(tmpdir())).filter((name) => name.startsWith(folderPrefix)).map((name) => path.join(tmpdir(), name));
  for (const folder of folders) {
    const [owner, engine] = [readPid(path.join(folder, 'owner')), readPid(path.join(folder, 'pid'))];
    if (owner === null || existsSync(`/proc/${owner}`)) continue;
    if (engine !== null && commandLine(engine).includes(folder)) await endProcess(engine);
    await removeFolder(folder);
  }
}

async function endProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  for (let waitedMs = 0; waitedMs < stopLimitMs && existsSync(`/proc/${pid}`); waitedMs += 200) await pause(200);
}

function readPid(file: string): number | null {
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : Number.NaN;
  return Number.isInteger(pid) && pid > 1 ? pid : null;
}

const commandLine = (pid: number): string => (existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : '');

/** A mount that the engine left behind would keep the folder. */
async function removeFolder(folder: string): Promise<void> {
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((place) => place.startsWith(`${folder}/`));
  for (const place of mounts.reverse()) await attempt('umount', ['-l', place], { limitMs: 10_000 });
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
