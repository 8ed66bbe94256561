import { createServer, type Server } from 'node:net';
import { z } from 'zod';
import { FrameReader, encodeFrame } from '../broker/framing.js';
import type { UnavailableCode } from '../failureCodes.js';
import { type CanaryProbe, canaryReportSchema, missesOf } from './canaryReport.js';
import { faultName } from './faultName.js';
import type { RunningWorker } from './launcher.js';

type SelfTestCode = Extract<UnavailableCode, 'spawn_refused' | 'canary_silent' | 'canary_escaped'>;

export type SelfTest =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly code: SelfTestCode;
      /** Names of claims that did not hold. */
      readonly misses: readonly string[];
      /** What bubblewrap or the system said, for an operator: the canary holds no secret. */
      readonly said: string;
    };

/** Milliseconds to the hello, to the report, and from the kill to the end. Each is far more than it takes. */
const helloMs = 10_000;
const reportMs = 10_000;
const endMs = 5_000;

const reportBytesMax = 64 * 1024;

/** There on every host that runs us; inside, none may be. */
const hostPaths = [
  '/etc/passwd',
  '/etc/shadow',
  '/root',
  '/home',
  '/tmp',
  '/run',
  '/usr/bin',
  '/sys',
  '/dev',
  '/dev/null',
  '/proc',
  '/proc/1/environ',
  '/var',
];

const helloSchema = z.strictObject({ type: z.literal('hello') });

/**
 * Starts the canary as any worker is started, lets it try everything, and kills it while it waits. `launch` is told where to put
 * what bubblewrap says.
 */
export async function selfTest(launch: (onSaid: (text: string) => void) => RunningWorker, ownFile: string): Promise<SelfTest> {
  let said = '';
  const failed = (code: SelfTestCode, misses: readonly string[] = []): SelfTest => ({ ok: false, code, misses, said });
  const listener = await listen().catch((error: unknown) => void (said = faultName(error)));
  if (listener === undefined) return failed('canary_silent');
  let worker: RunningWorker;
  try {
    worker = launch((text) => (said = text.trim()));
  } catch (error) {
    listener.close();
    said = faultName(error);
    return failed('spawn_refused');
  }
  try {
    const frames = framesOf(worker);
    if (!helloSchema.safeParse(await within(helloMs, frames.next())).success) {
      worker.kill();
      await within(endMs, worker.ended);
      return failed('canary_silent');
    }
    worker.channel.write(encodeFrame(probe(listener, ownFile)));
    const report = canaryReportSchema.safeParse(await within(reportMs, frames.next()));
    if (!report.success) return failed('canary_escaped', ['report_missing']);
    const misses = [...missesOf(report.data), ...(await killed(worker))];
    return misses.length === 0 ? { ok: true } : failed('canary_escaped', misses);
  } finally {
    worker.kill();
    worker.channel.destroy();
    listener.close();
  }
}

function probe(listener: Server, ownFile: string): CanaryProbe {
  const address = listener.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { type: 'probe', port, parentPid: process.pid, hostPaths: [...hostPaths, ownFile] };
}

/** A wall clock is only worth something if what it kills is gone. */
async function killed(worker: RunningWorker): Promise<readonly string[]> {
  worker.kill();
  worker.channel.destroy();
  return (await within(endMs, worker.ended)) === null ? ['killed_in_time'] : [];
}

function framesOf(worker: RunningWorker): { next(): Promise<unknown> } {
  const reader = new FrameReader(() => reportBytesMax);
  const read: unknown[] = [];
  let wake = (): void => {};
  let ended = false;
  worker.channel.on('data', (chunk: Buffer) => {
    read.push(...reader.push(chunk).messages);
    wake();
  });
  const end = () => {
    ended = true;
    wake();
  };
  worker.channel.on('end', end).on('close', end);
  return {
    async next() {
      while (read.length === 0 && !ended) await new Promise<void>((resolve) => (wake = resolve));
      return read.shift() ?? null;
    },
  };
}

const listen = (): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });

/** Null where it took longer. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), ms)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
