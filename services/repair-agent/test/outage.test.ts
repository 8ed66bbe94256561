import { sandboxedModel } from '@emend/agents';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { eventIdOf } from '@emend/contracts';
import { parseDefinitions, type StoredEvent } from '@emend/log';
import { type MemoryBroker, memoryBroker } from '@emend/log/memory';
import { workspaceRoot } from '@emend/log/server';
import { catalogueOf, openModel } from '@emend/model';
import { createLogger, runConsumerLoop, systemTimers } from '@emend/runtime';
import { describe, expect, it } from 'vitest';
import type { Generator } from '../src/ports.js';
import { setAsideRequest } from '../src/setAsideRequest.js';
import { agentOn, eventAt, type TestAgent, turn } from './agentOn.js';
import { echoingWorker } from '../../../test/support/echoingWorker.js';
import { type Outage, outProvider } from './outProvider.js';
import { type Story, story, tell } from './story.js';

const slots = 3;
const requests = 15;
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const heartbeatMs = 10 * secondMs;
const definitions = parseDefinitions(JSON.parse(readFileSync(path.join(workspaceRoot(), 'deploy/jetstream.json'), 'utf8')));

const outages: readonly (readonly [Outage, string])[] = [
  ['refused', 'provider_outage'],
  [429, 'rate_limited'],
  [401, 'authentication'],
  [403, 'authentication'],
  [404, 'configuration'],
];

describe('a provider that is out for an hour', () => {
  it.each(outages)('by %s costs no request while a holder may wait longer, and each is generated for once afterwards', async (outage) => {
    const { during, settled, generations } = await anHourOut(outage, 2 * hourMs);
    expect(during.settled).toEqual([]);
    expect(settled).toEqual(Array.from({ length: requests }, () => 'correctionProposed'));
    expect(generations).toEqual(Array.from({ length: requests }, () => 1));
  });

  it.each(outages)('by %s costs one request a slot where a holder waits 50 minutes (%s)', async (outage, kind) => {
    const { during, settled, generations } = await anHourOut(outage, 50 * minuteMs);
    expect(during.settled).toEqual(Array.from({ length: slots }, () => kind));
    expect(settled.filter((end) => end !== 'correctionProposed')).toEqual(during.settled);
    expect(generations).toEqual(Array.from({ length: requests - slots }, () => 1));
  });

  it('costs one request a slot each time the wait runs out, so a short wait is dear', async () => {
    const { during } = await anHourOut(429, 20 * minuteMs);
    expect(during.settled).toHaveLength(3 * slots);
  });

  it.each(outages)('by %s is asked by one request a slot, after pauses that double up to a minute', async (outage) => {
    const { during } = await anHourOut(outage, 2 * hourMs);
    const holders = [...new Set(during.asked.map(({ id }) => id))];
    expect(holders).toHaveLength(slots);
    for (const holder of holders) {
      const times = during.asked.filter(({ id }) => id === holder).map(({ atMs }) => atMs);
      const pausesSeconds = times.slice(1).map((atMs, index) => (atMs - (times[index] ?? 0)) / secondMs);
      expect(pausesSeconds).toEqual([1, 2, 4, 8, 16, 32, ...Array.from({ length: 58 }, () => 60)]);
    }
    expect(during.refusals).toBe(outage === 'refused' ? 0 : during.asked.length);
  });
});

/** An agent with slots and a queue, whose provider is out for an hour of its own time; then until everything is settled. */
async function anHourOut(outage: Outage, waitMaxMs: number) {
  const tales = Array.from({ length: requests }, (_, number) => story({ capture: `n${100 + number}` }));
  const broker = memoryBroker({ definitions });
  for (const tale of tales) await tell(broker.log, tale);
  const provider = await outProvider(outage, (prompt) => tales.find(({ source }) => prompt.includes(eventIdOf(source)))?.valid ?? '');
  const asked: { readonly id: string; readonly atMs: number }[] = [];
  const agent = agentOn(
    broker,
    tales[0] as Story,
    told(await endpointAt(provider.url), (id) => asked.push({ id, atMs: agent.time.now() })),
    { waitMaxMs },
  );
  const beganMs = agent.time.now();
  const loop = runLoop(broker, agent);

  for (; agent.time.now() - beganMs < hourMs; agent.time.advance(secondMs)) await allAsleep(agent);
  await allAsleep(agent);
  const during = { settled: await endsOf(broker, tales), asked: [...asked], refusals: provider.refusals() };

  await provider.comeBack();
  while ((await endsOf(broker, tales)).length < requests) {
    await turn();
    agent.time.advance(secondMs);
  }
  await loop.stop();
  await provider.close();
  return { during, settled: await endsOf(broker, tales), generations: [...provider.generations.values()] };
}

/** Until every slot has a request whose holder sleeps: a timer for each, beside the heartbeat of the loop. */
async function allAsleep({ time }: TestAgent): Promise<void> {
  while (time.pending() < slots + 1) await turn();
}

/** As in service.ts, over HTTP; only the worker is in this process. */
async function endpointAt(baseUrl: string): Promise<Generator> {
  const catalogue = catalogueOf({ escalation: { provider: 'fake', baseUrl, model: 'big-1' } });
  const upstream = await openModel(catalogue, 'escalation', { timers: systemTimers });
  return sandboxedModel({ upstream, launcher: echoingWorker, onRun: () => {} });
}

function told(generator: Generator, onAsked: (id: string) => void): Generator {
  return {
    identity: generator.identity,
    generate(generation) {
      onAsked(generation.id);
      return generator.generate(generation);
    },
  };
}

function runLoop(broker: MemoryBroker, { deps, handle, time, metrics }: TestAgent) {
  const stopping = new AbortController();
  const running = runConsumerLoop<StoredEvent>({
    deliveries: broker.log.consume({ durable: 'repair-agent', signal: stopping.signal, prefetch: 1 }),
    handle: (stored, { signal }) => handle(stored, signal),
    setAside: (stored, why) => setAsideRequest(deps, stored, why),
    slots,
    heartbeatMs,
    signal: stopping.signal,
    log: createLogger({ name: 'loop', level: 'silent' }),
    metrics: metrics.loop('repair_requested'),
    describe: ({ sequence }) => ({ sequence }),
    timers: time,
    clock: time,
  });
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** How each settled request ended: the class of its failure, or that a proposal stands. */
async function endsOf(broker: MemoryBroker, tales: readonly Story[]): Promise<readonly string[]> {
  const ends = await Promise.all(tales.map(({ settlementPlace }) => eventAt(broker.log, settlementPlace)));
  return ends.filter((end) => end !== null).map((end) => (end.name === 'runFailed' ? end.data.diagnostic.class : end.name));
}
