import type { EventRead } from '@emend/contracts';
import { memoryBroker } from '@emend/log/memory';
import { again, done, type Outcome } from '@emend/runtime';
import { describe, expect, it } from 'vitest';
import { observed } from '../../../test/support/specimens.js';
import { placesOf, withoutOutput } from '../src/decisions/index.js';
import { answerTrigger, type EventAppender, type StandardWork, type WorkEnd } from '../src/index.js';
import { agent, attemptOf, contract, eventAt, model, serviceOn, sourceOf } from './scene.js';

const produced: WorkEnd<string> = { end: { kind: 'output', output: observed('Tide'), completion: 'exact' }, code: 'exact', inHand: 'held' };
const failed: WorkEnd<string> = {
  end: { kind: 'failure', diagnostic: withoutOutput('invalid_json', contract.ref) },
  code: 'invalid_json',
  inHand: 'held',
};
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** A work without a sandbox, and how often each of its three was asked. */
function workOf(work: () => Promise<WorkEnd<string>> = () => Promise.resolve(produced), after: () => Outcome = () => done) {
  const counts = { claims: 0, work: 0 };
  const followed: { readonly end: EventRead; readonly inHand: string | null }[] = [];
  const standard: StandardWork<string> = {
    claims() {
      counts.claims += 1;
      return { model, promptHash: 'a'.repeat(64) };
    },
    work() {
      counts.work += 1;
      return work();
    },
    afterEnd({ end, inHand }) {
      followed.push({ end, inHand });
      return Promise.resolve(after());
    },
  };
  return { standard, counts, followed, held: () => followed.map(({ inHand }) => inHand) };
}

function scene() {
  const broker = memoryBroker();
  const answer = (work = workOf(), change: Parameters<typeof serviceOn>[1] = {}, mayClaim = true) => {
    const service = serviceOn(broker.log, change);
    return { ...service, outcome: answerTrigger(service.deps, { source: sourceOf(), agent, mayClaim }, work.standard) };
  };
  const ended = (n = 1) => eventAt(broker.log, placesOf(attemptOf(n)).ended);
  const started = (n = 1) => eventAt(broker.log, placesOf(attemptOf(n)).started);
  return { broker, answer, ended, started };
}

/** A delivery that dies where its work begins: its claim stands. */
async function claimedAndDead(stage: ReturnType<typeof scene>): Promise<void> {
  await new Promise<void>((resolve) => {
    stage.answer(
      workOf(() => {
        resolve();
        return never();
      }),
    );
  });
}

describe('one trigger', () => {
  it('is claimed, worked once and ended, and what follows has the work in hand', async () => {
    const stage = scene();
    const work = workOf();
    const { outcome, said } = stage.answer(work);
    expect(await outcome).toEqual(done);
    expect(await stage.started()).toMatchObject({ name: 'runStarted', data: { manifest: { promptHash: 'a'.repeat(64) } } });
    expect(await stage.ended()).toMatchObject({ name: 'outputProduced', data: { completion: 'exact' } });
    expect([work.counts, work.held(), said]).toEqual([{ claims: 1, work: 1 }, ['held'], ['claimed', 'ended exact']]);
  });

  it('that is answered is not worked again: what follows from its end is seen to, with nothing in hand', async () => {
    const stage = scene();
    await stage.answer().outcome;
    const work = workOf();
    expect(await stage.answer(work, {}, false).outcome).toEqual(done);
    expect([work.counts, work.held()]).toEqual([{ claims: 0, work: 0 }, [null]]);
    expect(work.followed[0]?.end).toMatchObject({ kind: 'event', event: { name: 'outputProduced' } });
  });

  it('whose sequel fails keeps its message, and the next delivery sees to it', async () => {
    const stage = scene();
    const work = workOf(undefined, () => again('sequel_unknown'));
    expect(await stage.answer(work).outcome).toEqual(again('sequel_unknown'));
    const next = workOf();
    expect(await stage.answer(next).outcome).toEqual(done);
    expect([next.counts.work, next.held()]).toEqual([0, [null]]);
  });

  it('that ended in a failure has a sequel too: what it means is the work’s to say', async () => {
    const stage = scene();
    const work = workOf(() => Promise.resolve(failed));
    await stage.answer(work).outcome;
    expect([(await stage.ended())?.name, work.held()]).toEqual(['runFailed', ['held']]);
  });
});

describe('a claim that was left', () => {
  it('is given up, has no sequel, and the next attempt answers', async () => {
    const stage = scene();
    await claimedAndDead(stage);
    const work = workOf();
    const { outcome, said } = stage.answer(work);
    expect(await outcome).toEqual(done);
    expect(await stage.ended(1)).toMatchObject({ data: { diagnostic: { class: 'abandoned' } } });
    expect(await stage.ended(2)).toMatchObject({ name: 'outputProduced' });
    expect([work.counts.work, work.held(), said]).toEqual([1, ['held'], ['ended abandoned', 'claimed', 'ended exact']]);
  });

  it('is given up where nothing may begin, and nothing begins', async () => {
    const stage = scene();
    await claimedAndDead(stage);
    const work = workOf();
    expect(await stage.answer(work, {}, false).outcome).toEqual(done);
    expect([work.counts, work.held(), await stage.started(2)]).toEqual([{ claims: 0, work: 0 }, [], null]);
  });

  it('as often as there are attempts leaves the trigger unanswered', async () => {
    const stage = scene();
    await claimedAndDead(stage);
    await claimedAndDead(stage);
    const work = workOf();
    const { outcome, said } = stage.answer(work);
    expect(await outcome).toEqual(done);
    expect([work.counts.work, said]).toEqual([0, ['ended abandoned', 'attempts_used_up']]);
    expect(await stage.started(3)).toBeNull();
  });

  it('whose holder ends late is dropped, has no sequel, and leaves its message to whoever holds the next attempt', async () => {
    const stage = scene();
    let finish = (): void => undefined;
    const slow = workOf(async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      return produced;
    });
    const late = stage.answer(slow);
    while (slow.counts.work === 0) await new Promise((resolve) => setImmediate(resolve));
    await stage.answer().outcome;
    finish();
    expect(await late.outcome).toMatchObject({ kind: 'retry', cause: 'end_lost' });
    expect([slow.held(), late.said]).toEqual([[], ['claimed', 'end_lost exact']]);
  });

  it('that ended while it was given up has its sequel', async () => {
    const stage = scene();
    let finish = (): void => undefined;
    const slow = workOf(async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      return produced;
    });
    const first = stage.answer(slow);
    while (slow.counts.work === 0) await new Promise((resolve) => setImmediate(resolve));
    const { appender } = first.deps;
    const overtaken: EventAppender = {
      async append(event) {
        finish();
        await first.outcome;
        return appender.append(event);
      },
    };
    const work = workOf();
    expect(await stage.answer(work, { appender: overtaken }).outcome).toEqual(done);
    expect([work.counts.work, work.held(), await stage.started(2)]).toEqual([0, [null], null]);
  });
});

describe('two deliveries at once', () => {
  it('one claims and works, the other comes again later', async () => {
    const stage = scene();
    const works = [workOf(), workOf()];
    // Both look before either appends: what they saw decides nothing.
    const outcomes = await Promise.all(works.map((work) => stage.answer(work).outcome));
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['done', 'retry']);
    expect(works.map(({ counts }) => counts.work).toSorted()).toEqual([0, 1]);
  });
});

describe('an append without a good end', () => {
  const ending = (appender: EventAppender, nth: number, kind: 'full' | 'unknown'): EventAppender => {
    let appends = 0;
    return {
      append: (event) =>
        (appends += 1) >= nth ? Promise.resolve(kind === 'full' ? { kind } : { kind, cause: 'closed' }) : appender.append(event),
    };
  };

  it.each([
    ['claim', 1, 'full', { kind: 'stop', cause: 'log_full' }, 0],
    ['claim', 1, 'unknown', { kind: 'again', cause: 'claim_unknown' }, 0],
    ['end', 2, 'full', { kind: 'stop', cause: 'log_full' }, 1],
    ['end', 2, 'unknown', { kind: 'again', cause: 'end_unknown' }, 1],
  ] as const)('of the %s (append %d, %s): the message stays, and nothing follows', async (_which, nth, kind, outcome, worked) => {
    const stage = scene();
    const work = workOf();
    const { appender } = serviceOn(stage.broker.log).deps;
    expect(await stage.answer(work, { appender: ending(appender, nth, kind) }).outcome).toEqual(outcome);
    expect([work.counts.work, work.held()]).toEqual([worked, []]);
  });

  it('whose answer got lost although it was stored is ours: the same bytes stand there', async () => {
    const stage = scene();
    const { appender } = serviceOn(stage.broker.log).deps;
    let lost = 0;
    const lostOnce: EventAppender = {
      async append(event) {
        const appended = await appender.append(event);
        return (lost += 1) === 1 ? { kind: 'unknown', cause: 'timeout' } : appended;
      },
    };
    const work = workOf();
    expect(await stage.answer(work, { appender: lostOnce }).outcome).toEqual(done);
    expect([work.counts.work, work.held()]).toEqual([1, ['held']]);
  });

  it('told to stop before its claim gives the message back', async () => {
    const stage = scene();
    const stopping = AbortSignal.abort();
    const work = workOf();
    expect(await stage.answer(work, { stopping }).outcome).toEqual({ kind: 'retry', afterMs: 0, cause: 'stopping' });
    expect([work.counts, await stage.started()]).toEqual([{ claims: 0, work: 0 }, null]);
  });
});
