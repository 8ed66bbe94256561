import { outputRepairPolicy } from '@emend/contracts';
import { type EventLog, LogError, type LogErrorCode } from '@emend/log';
import { memoryBroker } from '@emend/log/memory';
import { createMetrics, type LoopEnd, manualTime, silentLogger } from '@emend/runtime';
import { expect, it } from 'vitest';
import { runStory } from '../../../test/support/history.js';
import { logEventReader } from '../src/adapters/logEventReader.js';
import { coordinateRuns } from '../src/service.js';

const run = runStory();
const durable = 'coordinator';

/** The coordinator over a log in memory with one failed run, changed as the test says. */
async function coordinating(change: (log: EventLog) => Partial<EventLog>) {
  const broker = memoryBroker();
  for (const { subject, bytes } of [...run.declared, run.started(), run.failed()]) await broker.log.append({ subject, bytes });
  const log = { ...broker.log, ...change(broker.log) };
  const end = new AbortController();
  const time = manualTime();
  const metrics = createMetrics({ service: 'test' });
  const ended = coordinateRuns({
    broker: { log, store: (subject, bytes) => broker.store(subject, bytes) },
    reader: logEventReader({ log, patienceMs: 1_000, signal: end.signal }),
    definitions: [outputRepairPolicy],
    config: { durable, slots: 1 },
    log: silentLogger,
    metrics,
    signal: end.signal,
    timers: time,
  });
  const request = run.request().subject;
  return { broker, time, metrics, ended, end, request };
}

/** Moves time until the loop has ended. */
async function ending({ ended, time }: { ended: Promise<LoopEnd>; time: ReturnType<typeof manualTime> }): Promise<LoopEnd> {
  let over = false;
  void ended.finally(() => (over = true));
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve));
    time.advance(1_000);
  }
  return ended;
}

/** Fails with each code in turn, then answers. */
const faulty = <A, R>(codes: LogErrorCode[], call: (argument: A) => Promise<R>) => {
  return async (argument: A): Promise<R> => {
    const code = codes.shift();
    if (code !== undefined) throw new LogError(code, 'no answer');
    return call(argument);
  };
};

it.each(['permission_denied', 'stream_missing'] as const)(
  'a missing permission stops the service and the message stays: %s',
  async (code) => {
    const scene = await coordinating((log) => ({ get: faulty([code], log.get) }));
    expect(await ending(scene)).toEqual({ kind: 'stopped', cause: code });
    expect(await scene.broker.log.get(scene.request)).toBeNull();
    expect(scene.broker.redeliver(durable)).toBeGreaterThanOrEqual(1);
    expect(scene.broker.stored).toEqual([]);
  },
);

it.each(['get', 'append'] as const)('a broker that does not answer costs no request: %s', async (call) => {
  const codes = Array<LogErrorCode>(20).fill('timeout');
  const scene: Awaited<ReturnType<typeof coordinating>> = await coordinating((log) => {
    const append = async (event: Parameters<EventLog['append']>[0]) => {
      // An append says for itself that nobody knows.
      if (codes.shift() !== undefined) return { kind: 'unknown', cause: 'timeout' } as const;
      const appended = await log.append(event);
      scene.end.abort();
      return appended;
    };
    return call === 'append' ? { append } : { get: faulty(codes, log.get), append };
  });
  expect(await ending(scene)).toEqual({ kind: 'drained' });
  expect(await scene.broker.log.get(scene.request)).not.toBeNull();
  expect(scene.broker.redeliver(durable)).toBe(0);
  // Not set aside, and no incident: the twenty faults were one delivery.
  expect(scene.broker.stored).toEqual([]);
  expect(await scene.metrics.text()).toContain('emend_handler_waits_total{loop="run_ended",service="test"} 20');
});
