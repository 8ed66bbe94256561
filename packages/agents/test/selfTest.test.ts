import { Duplex } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { encodeFrame, FrameReader } from '../src/broker/framing.js';
import type { CanaryProbe, CanaryReport } from '../src/sandbox/canaryReport.js';
import type { RunningWorker, WorkerExit } from '../src/sandbox/launcher.js';
import { selfTest } from '../src/sandbox/selfTest.js';

/** A report without a miss. */
const report = (reads: CanaryReport['reads']): CanaryReport => ({
  type: 'report',
  environment: [],
  user: 65_534,
  tcp: 'EPERM',
  listen: 'EPERM',
  unix: 'EPERM',
  reads,
  list: 'EPERM',
  writes: { '/x': 'EROFS' },
  signalParent: 'EPERM',
  signalSelf: 'EPERM',
  fork: 'EPERM',
  compile: 'EvalError',
  openFiles: [],
});

interface Canary {
  readonly worker: RunningWorker;
  readonly probes: CanaryProbe[];
  kills(): number;
}

/** A canary in this process. It reads what `there` has, and dies of a kill or does not. */
function canary({ mortal = true, there = [] }: { readonly mortal?: boolean; readonly there?: readonly string[] } = {}): Canary {
  const probes: CanaryProbe[] = [];
  const reader = new FrameReader(() => 1 << 20);
  let kills = 0;
  let end: (exit: WorkerExit) => void = () => {};
  const ended = new Promise<WorkerExit>((resolve) => (end = resolve));
  const channel = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      for (const message of reader.push(chunk).messages as CanaryProbe[]) {
        probes.push(message);
        this.push(
          encodeFrame(report(Object.fromEntries(message.hostPaths.map((file) => [file, there.includes(file) ? 'done' : 'ENOENT'])))),
        );
      }
      done();
    },
  });
  channel.push(encodeFrame({ type: 'hello' }));
  const kill = (): void => {
    kills += 1;
    if (mortal) end({ code: null, signal: 'SIGKILL', outputBytes: 0 });
  };
  return { worker: { pid: undefined, channel, ended, flooded: new Promise(() => {}), kill }, probes, kills: () => kills };
}

describe('the self-test', () => {
  test('is passed by a canary that reports no miss and dies of its kill', async () => {
    const { worker, kills } = canary();
    expect(await selfTest(() => worker, '/own/file.js')).toEqual({ ok: true });
    expect(kills()).toBeGreaterThan(0);
  });

  test('is not passed by one that lives on: no clock would end such a worker', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { worker, probes, kills } = canary({ mortal: false });
      const testing = selfTest(() => worker, '/own/file.js');
      await vi.waitUntil(() => probes.length > 0 && kills() > 0);
      await vi.runAllTimersAsync();
      expect(await testing).toEqual({ ok: false, code: 'canary_escaped', misses: ['killed_in_time'], said: '' });
    } finally {
      vi.useRealTimers();
    }
  });

  test('looks for the very file that asks, and is not passed where it is there', async () => {
    const { worker, probes } = canary({ there: ['/own/file.js'] });
    expect(await selfTest(() => worker, '/own/file.js')).toMatchObject({ ok: false, misses: ['host_files_absent'] });
    expect(probes[0]?.hostPaths).toContain('/own/file.js');
  });
});
