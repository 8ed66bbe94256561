import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { EventAppender, PlaceReader } from '@emend/runs';
import type { Generator } from '../src/ports.js';
import { agentOn, answers, eventAt, fakeGenerator, told } from './agentOn.js';

/** Deliveries of one request, each to a process of its own. */
const deliveriesMax = 4;
/** Steps that a process takes before it dies; above the longest way there is it lives. */
const stepsMax = 24;

describe('any interleaving of deliveries, with deaths at any step', () => {
  it('ends in one settlement and at most one call upstream (I2)', async () => {
    const lives = fc.array(fc.integer({ min: 1, max: stepsMax }), { minLength: 1, maxLength: deliveriesMax });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), lives, async (scheduler, stepsLeft) => {
        const scene = await told();
        const upstream = fakeGenerator(answers(scene.tale.valid));
        const dead = stepsLeft.map((steps) => mortalAgent(scene, upstream, steps, scheduler).handle(scene.request));
        // Those that die never settle: wait until nothing is left to happen.
        void Promise.allSettled(dead);
        await scheduler.waitIdle();

        await agentOn(scene.broker, scene.tale, upstream).handle(scene.request);
        const settled = await eventAt(scene.broker.log, scene.tale.settlementPlace);
        // Lost a race without a death, or lived: the claim's holder proposes. Else it is given up.
        expect(['correctionProposed', 'runFailed']).toContain(settled?.name);
        if (settled?.name === 'runFailed') expect(settled.data.diagnostic.class).toBe('abandoned');
        expect(upstream.asked.length).toBeLessThanOrEqual(1);
        if (settled?.name === 'correctionProposed') expect(upstream.asked.length).toBe(1);
      }),
      { numRuns: 300 },
    );
  });
});

type Scene = Awaited<ReturnType<typeof told>>;

/** An agent whose every step takes its turn when the scheduler says so, and that dies when its steps are used up. */
function mortalAgent({ broker, tale }: Scene, upstream: Generator, steps: number, scheduler: fc.Scheduler) {
  let left = steps;
  const step = async <T>(act: () => Promise<T>): Promise<T> => {
    await scheduler.schedule(Promise.resolve());
    if ((left -= 1) < 0) return new Promise<T>(() => undefined);
    const result = await act();
    await scheduler.schedule(Promise.resolve());
    if ((left -= 1) < 0) return new Promise<T>(() => undefined);
    return result;
  };
  const { deps } = agentOn(broker, tale, upstream);
  const reader: PlaceReader = {
    get: (place) => step(() => deps.reader.get(place)),
  };
  const appender: EventAppender = { append: (event) => step(() => deps.appender.append(event)) };
  const generator: Generator = { identity: upstream.identity, generate: (generation) => step(() => upstream.generate(generation)) };
  return agentOn(broker, tale, generator, { reader, appender });
}
