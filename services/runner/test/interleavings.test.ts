import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunModel } from '../src/adapters/answering.js';
import type { EventAppender, PlaceReader } from '@emend/runs';
import { fakeModel, malformed, noted, repaired, runnerOn, says } from './runnerOn.js';

/** Deliveries of one source, each to a process of its own. */
const deliveriesMax = 4;
/** Steps that a process takes before it dies; above the longest way there is it lives. */
const stepsMax = 32;
const attemptsMax = 2;

describe('any interleaving of deliveries, with deaths at any step', () => {
  it.each([0, 1, 3])('answers a source at most once, in as many calls as %d retries of its first claim allow (I2, I4)', async (retries) => {
    const lives = fc.array(fc.integer({ min: 1, max: stepsMax }), { minLength: 1, maxLength: deliveriesMax });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), lives, fc.boolean(), async (scheduler, stepsLeft, rescues) => {
        const scene = await noted();
        const provider = fakeModel(({ contract }) => says(rescues && contract.name.endsWith('_output_repair') ? repaired : malformed));
        const dead = stepsLeft.map((steps) => mortalRunner(scene, provider, { steps, retries }, scheduler).handle(scene.note));
        // Those that die never settle: wait until nothing is left to happen.
        void Promise.allSettled(dead);
        await scheduler.waitIdle();

        await runnerOn(scene.broker, provider, { retries }).handle(scene.note);
        const ends = await Promise.all([1, 2, 3].map((n) => scene.ended(n)));
        const outputs = ends.filter((end) => end?.name === 'outputProduced');
        const failures = ends.flatMap((end) => (end?.name === 'runFailed' ? [end.data.diagnostic.class] : []));
        const givenUp = failures.filter((one) => one === 'abandoned').length;
        // One answer, of the kind that its provider gives, or every attempt is used up by a death.
        expect(outputs.length).toBe(rescues && givenUp < attemptsMax ? 1 : 0);
        expect(failures.length - givenUp).toBe(!rescues && givenUp < attemptsMax ? 1 : 0);
        // Each claim after the first has one invocation, and each invocation one overseer call.
        expect(provider.asked.length).toBeLessThanOrEqual(2 * (retries + attemptsMax));
        expect(await scene.started(attemptsMax + 1)).toBeNull();
      }),
      { numRuns: 100 },
    );
  });
});

type Scene = Awaited<ReturnType<typeof noted>>;

interface Life {
  readonly steps: number;
  readonly retries: number;
}

/** A runner whose every step takes its turn when the scheduler says so, and that dies when its steps are used up. */
function mortalRunner({ broker }: Scene, provider: RunModel, { steps, retries }: Life, scheduler: fc.Scheduler) {
  let left = steps;
  const step = async <T>(act: () => Promise<T>): Promise<T> => {
    await scheduler.schedule(Promise.resolve());
    if ((left -= 1) < 0) return new Promise<T>(() => undefined);
    const result = await act();
    await scheduler.schedule(Promise.resolve());
    if ((left -= 1) < 0) return new Promise<T>(() => undefined);
    return result;
  };
  const { deps } = runnerOn(broker, provider);
  const reader: PlaceReader = { get: (place) => step(() => deps.reader.get(place)) };
  const appender: EventAppender = { append: (event) => step(() => deps.appender.append(event)) };
  const model: RunModel = { identity: provider.identity, generate: (request) => step(() => provider.generate(request)) };
  return runnerOn(broker, model, { reader, appender, retries });
}
