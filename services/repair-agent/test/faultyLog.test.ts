import { LogError, type LogErrorCode } from '@emend/log';
import { type MemoryBroker, memoryBroker } from '@emend/log/memory';
import { createLogger, type LoopEnd, manualTime, noLoopMetrics, runConsumerLoop } from '@emend/runtime';
import { describe, expect, it } from 'vitest';
import { agentOn, answers, fakeGenerator, letTimePass } from './agentOn.js';
import { type Story, story, tell } from './story.js';

const durable = 'repair-agent';

/** One request in a log whose answers fail with these codes, one after the other, and then come. */
async function withFaults(call: 'get' | 'append', codes: readonly LogErrorCode[]) {
  const broker = memoryBroker();
  const tale = story();
  await tell(broker.log, tale);
  const left = [...codes];
  const orFault = async <T>(answer: Promise<T>): Promise<T> => {
    const code = left.shift();
    if (code !== undefined) throw new LogError(code, 'no answer');
    return answer;
  };
  const log =
    call === 'get'
      ? { ...broker.log, get: (place: string) => orFault(broker.log.get(place)) }
      : { ...broker.log, append: (event: Parameters<typeof broker.log.append>[0]) => orFault(broker.log.append(event)) };
  const generator = fakeGenerator(answers(tale.valid));
  const agent = agentOn({ log, store: (subject, bytes) => broker.store(subject, bytes) }, tale, generator);
  return { broker, tale, agent, generator };
}

/** The deliveries of the durable through the agent, until its request is settled or the loop has ended. */
async function running({
  broker,
  tale,
  agent,
}: {
  broker: MemoryBroker;
  tale: Story;
  agent: ReturnType<typeof agentOn>;
}): Promise<LoopEnd> {
  const time = manualTime();
  const end = new AbortController();
  const ended = runConsumerLoop({
    deliveries: broker.log.consume({ durable, signal: end.signal }),
    handle: async (stored, { signal }) => {
      // Every event of the story comes by; the request is the one that is for an agent.
      const outcome = stored.subject.includes('.repair.requested.') ? await agent.handle(stored, signal) : { kind: 'done' as const };
      if ((await broker.log.get(tale.settlementPlace)) !== null) end.abort();
      return outcome;
    },
    setAside: async () => ({ kind: 'done' }),
    slots: 1,
    heartbeatMs: 1_000,
    signal: end.signal,
    log: createLogger({ name: 'test', level: 'silent', fields: [] }),
    metrics: noLoopMetrics,
    describe: () => ({}),
    timers: time,
    clock: time,
  });
  return letTimePass(ended, time, 1_000);
}

describe('a question that got no answer', () => {
  it.each(['timeout', 'no_responders', 'not_connected'] as const)(
    '%s, twenty times: the request is answered all the same',
    async (code) => {
      const scene = await withFaults('get', Array<LogErrorCode>(20).fill(code));
      expect(await running(scene)).toEqual({ kind: 'drained' });
      expect(await scene.broker.log.get(scene.tale.settlementPlace)).not.toBeNull();
      expect(scene.generator.asked).toHaveLength(1);
      expect(scene.broker.redeliver(durable)).toBe(0);
    },
  );

  it.each([
    ['get', 'permission_denied'],
    ['get', 'stream_missing'],
    ['append', 'permission_denied'],
    ['append', 'stream_unfit'],
  ] as const)('%s: %s stops the process, and the request stays', async (call, code) => {
    const scene = await withFaults(call, [code]);
    expect(await running(scene)).toEqual({ kind: 'stopped', cause: code });
    expect(await scene.broker.log.get(scene.tale.settlementPlace)).toBeNull();
    expect(scene.broker.redeliver(durable)).toBeGreaterThanOrEqual(1);
  });
});
