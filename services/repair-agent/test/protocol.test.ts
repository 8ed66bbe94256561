import { encodeEvent, type EventOf } from '@emend/contracts';
import { memoryBroker } from '@emend/log/memory';
import { describe, expect, it } from 'vitest';
import { abandonedDraft, failureDraft } from '../src/domain/repairRun.js';
import { diagnosticOf } from '../src/domain/failureCodes.js';
import type { Generator } from '../src/ports.js';
import { setAsideRequest } from '../src/setAsideRequest.js';
import { type AppendOutcome, appendTriesMax, type EventAppender } from '@emend/runs';
import { agentOn, answers, eventAt, fakeGenerator, told } from './agentOn.js';
import { failedAt } from './story.js';

/** A call in which a process dies: what it waits for never comes. `reached` settles when it is there. */
function deadEnd() {
  let reach = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  return {
    reached,
    never<T>(): Promise<T> {
      reach();
      return new Promise<T>(() => undefined);
    },
  };
}

/** An appender whose answer for one of the two places is another; `store` says whether the event is stored all the same. */
function answering(
  inner: EventAppender,
  place: string,
  answer: AppendOutcome | (() => Promise<AppendOutcome>),
  store: boolean,
): EventAppender & { tries: number } {
  const faulty = {
    tries: 0,
    async append(event: Parameters<EventAppender['append']>[0]): Promise<AppendOutcome> {
      if (event.subject !== place) return inner.append(event);
      faulty.tries += 1;
      if (store) await inner.append(event);
      return typeof answer === 'function' ? answer() : answer;
    },
  };
  return faulty;
}

/** Where a process dies: what it did before, it did; its promise never settles. */
const crashPoints = ['before claim', 'after claim', 'in the provider', 'after generation', 'after settlement'] as const;
type CrashPoint = (typeof crashPoints)[number];

type Told = Awaited<ReturnType<typeof told>>;

/** One delivery to a process that dies there: settles when it is dead, or when it ended before it got there. */
async function deliverToDying(
  { broker, tale, request }: Told,
  point: CrashPoint,
  generator: ReturnType<typeof fakeGenerator>,
): Promise<void> {
  const end = deadEnd();
  const { appender } = agentOn(broker, tale, generator).deps;
  const die = (): Promise<AppendOutcome> => end.never();
  const at: Readonly<Record<CrashPoint, EventAppender>> = {
    'before claim': answering(appender, tale.claimPlace, die, false),
    'after claim': answering(appender, tale.claimPlace, die, true),
    'in the provider': appender,
    'after generation': answering(appender, tale.settlementPlace, die, false),
    'after settlement': answering(appender, tale.settlementPlace, die, true),
  };
  const mortal: Generator = {
    identity: generator.identity,
    generate: async (generation) => {
      const answer = await generator.generate(generation);
      return point === 'in the provider' ? end.never() : answer;
    },
  };
  await Promise.race([end.reached, agentOn(broker, tale, mortal, { appender: at[point] }).handle(request)]);
}

/** What the log and the provider say in the end. */
async function verdictOn({ broker, tale }: Told): Promise<string> {
  const settled = await eventAt(broker.log, tale.settlementPlace);
  if (settled === null) return 'unsettled';
  return settled.name === 'runFailed' ? String(settled.data.diagnostic.class) : settled.name;
}

describe('a process that dies', () => {
  const expected: Readonly<Record<CrashPoint, string>> = {
    'before claim': 'correctionProposed',
    'after claim': 'abandoned',
    'in the provider': 'abandoned',
    'after generation': 'abandoned',
    'after settlement': 'correctionProposed',
  };
  it.each(crashPoints)('%s: the next delivery ends it, and the provider was called once at most (T85, T86)', async (point) => {
    const scene = await told();
    const first = fakeGenerator(answers(scene.tale.valid));
    await deliverToDying(scene, point, first);
    const second = fakeGenerator(answers(scene.tale.valid));
    expect(await agentOn(scene.broker, scene.tale, second).handle(scene.request)).toEqual({ kind: 'done' });
    expect(await verdictOn(scene)).toBe(expected[point]);
    expect(first.asked.length + second.asked.length).toBeLessThanOrEqual(1);
  });

  const pairs = crashPoints.flatMap((one) => crashPoints.map((two) => [one, two] as const));
  it.each(pairs)('%s, and the next one %s: the third delivery ends it', async (one, two) => {
    const scene = await told();
    const generators = [fakeGenerator(answers(scene.tale.valid)), fakeGenerator(answers(scene.tale.valid))] as const;
    await deliverToDying(scene, one, generators[0]);
    await deliverToDying(scene, two, generators[1]);
    const third = fakeGenerator(answers(scene.tale.valid));
    await agentOn(scene.broker, scene.tale, third).handle(scene.request);
    expect(['correctionProposed', 'abandoned']).toContain(await verdictOn(scene));
    expect([...generators, third].reduce((sum, { asked }) => sum + asked.length, 0)).toBeLessThanOrEqual(1);
  });

  it('two that give up a dead claim write the same bytes', async () => {
    const scene = await told();
    await deliverToDying(scene, 'after claim', fakeGenerator());
    const late = agentOn(scene.broker, scene.tale, fakeGenerator());
    late.time.advance(86_400_000);
    expect(
      await Promise.all([agentOn(scene.broker, scene.tale, fakeGenerator()).handle(scene.request), late.handle(scene.request)]),
    ).toEqual([{ kind: 'done' }, { kind: 'done' }]);
    expect(await scene.settlement()).toMatchObject({
      time: failedAt,
      causationId: scene.tale.requestId,
      data: { started: (await scene.claim())?.id },
    });
    expect(late.eventsLogged()).not.toContain('repair.settlement_lost');
  });
});

describe('two replicas', () => {
  it('with the same delivery: one claims and generates, the other gives its message back', async () => {
    const { tale, broker, request, settlement } = await told();
    const generators = [fakeGenerator(answers(tale.valid)), fakeGenerator(answers(tale.valid))];
    const outcomes = await Promise.all(generators.map((generator) => agentOn(broker, tale, generator).handle(request)));
    expect(outcomes).toEqual([{ kind: 'done' }, { kind: 'retry', afterMs: 30_000, cause: 'claim_lost' }]);
    expect(await settlement()).toMatchObject({ name: 'correctionProposed' });
    expect(generators.map(({ asked }) => asked.length)).toEqual([1, 0]);
  });

  it('a proposal that comes late loses, and its process is done with it (F04)', async () => {
    const { tale, broker, request, settlement } = await told();
    const slow = agentOn(
      broker,
      tale,
      fakeGenerator(async () => {
        // While the provider works the message comes again, elsewhere.
        expect(await agentOn(broker, tale, fakeGenerator()).handle(request)).toEqual({ kind: 'done' });
        return answers(tale.valid);
      }),
    );
    expect(await slow.handle(request)).toEqual({ kind: 'done' });
    expect(await settlement()).toMatchObject({ name: 'runFailed', data: { diagnostic: { class: 'abandoned' } } });
    expect(slow.lines.find((line) => line['event'] === 'repair.settlement_lost')).toMatchObject({ code: 'proposed' });
    expect(await slow.metrics.text()).toContain('emend_repair_settlements_lost_total{code="proposed",service="repair-agent"} 1');
  });

  it('a delivery after the settlement asks nobody and writes nothing', async () => {
    const { tale, broker, request } = await told();
    await agentOn(broker, tale, fakeGenerator(answers(tale.valid))).handle(request);
    const before = await broker.log.lastSequence();
    const generator = fakeGenerator();
    expect(await agentOn(broker, tale, generator).handle(request)).toEqual({ kind: 'done' });
    expect(generator.asked).toEqual([]);
    expect(await broker.log.lastSequence()).toBe(before);
  });
});

describe('a place that is taken by what has no effect', () => {
  const junk = Buffer.from('{"not":"an event"}');

  it('a void claim counts as a claim: the request is abandoned', async () => {
    const { tale, broker, request, settlement } = await told();
    await broker.log.append({ subject: tale.claimPlace, bytes: junk });
    await agentOn(broker, tale, fakeGenerator()).handle(request);
    expect(await settlement()).toMatchObject({ data: { diagnostic: { class: 'abandoned' } } });
  });

  it('a void settlement settles', async () => {
    const { tale, broker, request } = await told();
    await broker.log.append({ subject: tale.settlementPlace, bytes: junk });
    expect(await agentOn(broker, tale, fakeGenerator()).handle(request)).toEqual({ kind: 'done' });
    expect(await broker.log.get(tale.claimPlace)).toBeNull();
  });
});

describe('an append without a good end', () => {
  const cases: readonly (readonly ['claim' | 'settlement', AppendOutcome, object, string])[] = [
    ['claim', { kind: 'full' }, { kind: 'stop', cause: 'log_full' }, 'unsettled'],
    ['claim', { kind: 'unknown', cause: 'timeout' }, { kind: 'again', cause: 'claim_unknown' }, 'unsettled'],
    ['settlement', { kind: 'full' }, { kind: 'stop', cause: 'log_full' }, 'unsettled'],
    ['settlement', { kind: 'unknown', cause: 'timeout' }, { kind: 'again', cause: 'settlement_unknown' }, 'unsettled'],
  ];
  it.each(cases)('of the %s, %o: the message is not acknowledged', async (which, answer, outcome, verdict) => {
    const scene = await told();
    const agent = agentOn(scene.broker, scene.tale, fakeGenerator(answers(scene.tale.valid)));
    const place = which === 'claim' ? scene.tale.claimPlace : scene.tale.settlementPlace;
    const appender = answering(agent.deps.appender, place, answer, false);
    const generator = fakeGenerator(answers(scene.tale.valid));
    expect(await agentOn(scene.broker, scene.tale, generator, { appender }).handle(scene.request)).toEqual(outcome);
    expect(await verdictOn(scene)).toBe(verdict);
    expect(generator.asked).toHaveLength(which === 'claim' ? 0 : 1);
    expect(appender.tries).toBe(answer.kind === 'unknown' ? appendTriesMax : 1);
  });

  it('a claim whose first answer got lost although it was stored is still ours: the same bytes stand there', async () => {
    const scene = await told();
    const { appender } = agentOn(scene.broker, scene.tale, fakeGenerator()).deps;
    let tries = 0;
    const lostOnce: EventAppender = {
      async append(event) {
        const appended = await appender.append(event);
        return event.subject === scene.tale.claimPlace && (tries += 1) === 1 ? { kind: 'unknown', cause: 'timeout' } : appended;
      },
    };
    const generator = fakeGenerator(answers(scene.tale.valid));
    expect(await agentOn(scene.broker, scene.tale, generator, { appender: lostOnce }).handle(scene.request)).toEqual({ kind: 'done' });
    expect([await verdictOn(scene), generator.asked.length, tries]).toEqual(['correctionProposed', 1, 2]);
  });

  it('a claim whose answer got lost although it was stored is another’s at the next delivery', async () => {
    const scene = await told();
    const agent = agentOn(scene.broker, scene.tale, fakeGenerator());
    const appender = answering(agent.deps.appender, scene.tale.claimPlace, { kind: 'unknown', cause: 'timeout' }, true);
    await agentOn(scene.broker, scene.tale, fakeGenerator(), { appender }).handle(scene.request);
    await agent.handle(scene.request);
    expect(await verdictOn(scene)).toBe('abandoned');
  });

  it('a conflict whose stored claimant is this delivery’s may generate', async () => {
    const { tale, broker, request, settlement } = await told();
    const agent = agentOn(broker, tale, fakeGenerator(answers(tale.valid)));
    const { appender, reader } = agent.deps;
    const claimConflict: EventAppender = {
      async append(event) {
        const appended = await appender.append(event);
        const existing = event.subject === tale.claimPlace ? await reader.get(tale.claimPlace) : null;
        return existing === null ? appended : { kind: 'conflict', existing: existing.read };
      },
    };
    await agentOn(broker, tale, agent.deps.generator, { appender: claimConflict }).handle(request);
    expect(await settlement()).toMatchObject({ name: 'correctionProposed' });
  });

  it('a log that is full stops the process before anybody is asked', async () => {
    const { tale, broker, request } = await told();
    broker.fill();
    const generator = fakeGenerator();
    expect(await agentOn(broker, tale, generator).handle(request)).toEqual({ kind: 'stop', cause: 'log_full' });
    expect(generator.asked).toEqual([]);
  });
});

describe('a drain that gives up on work in hand', () => {
  it('settles the request as cancelled', async () => {
    const { tale, broker, request, settlement } = await told();
    const gaveUp = new AbortController();
    const agent = agentOn(
      broker,
      tale,
      fakeGenerator(({ signal }) => {
        gaveUp.abort();
        return { kind: 'failed', code: signal.aborted ? 'shutdown' : 'generator_threw' };
      }),
    );
    expect(await agent.handle(request, gaveUp.signal)).toEqual({ kind: 'done' });
    expect(await settlement()).toMatchObject({ data: { diagnostic: { class: 'cancelled' } } });
  });
});

describe('a message set aside after five deliveries', () => {
  const why = { code: 'deliveries_exceeded', deliveries: 6 };

  it('is an incident and an abandoned request', async () => {
    const { tale, broker, request, settlement } = await told();
    const { deps } = agentOn(broker, tale, fakeGenerator());
    expect(await setAsideRequest(deps, request, why)).toEqual({ kind: 'done' });
    expect(await settlement()).toMatchObject({ name: 'runFailed', time: failedAt, data: { diagnostic: { class: 'abandoned' } } });
    expect(((await settlement()) as EventOf<'runFailed'>).data.started).toBeUndefined();
    expect(broker.stored.map(({ subject }) => subject)).toEqual(['incident.thought.repair-agent.deliveries_exceeded']);
  });

  it('with a claim its bytes are those of a delivery that gives the claim up', async () => {
    const scene = await told();
    await deliverToDying(scene, 'after claim', fakeGenerator());
    const { deps } = agentOn(scene.broker, scene.tale, fakeGenerator());
    await setAsideRequest(deps, scene.request, why);
    const request = (await eventAt(scene.broker.log, scene.request.subject)) as EventOf<'repairRequested'>;
    const expected = encodeEvent(abandonedDraft({ request, agent: scene.tale.repairAgent }, true));
    expect(Buffer.from((await scene.broker.log.get(scene.tale.settlementPlace))?.bytes ?? [])).toEqual(Buffer.from(expected.bytes));
  });

  it('that is settled already has an incident only', async () => {
    const { tale, broker, request } = await told();
    const agent = agentOn(broker, tale, fakeGenerator(answers(tale.valid)));
    await agent.handle(request);
    const before = await broker.log.lastSequence();
    expect(await setAsideRequest(agent.deps, request, why)).toEqual({ kind: 'done' });
    expect(await broker.log.lastSequence()).toBe(before);
  });

  it('that does not parse is acknowledged with its incident, and its text is nowhere (F08)', async () => {
    const broker = memoryBroker();
    const { tale, request } = await told({}, broker);
    const { deps, lines } = agentOn(broker, tale, fakeGenerator());
    expect(await setAsideRequest(deps, { ...request, bytes: Buffer.from('canary-7b1e2f') }, why)).toEqual({ kind: 'done' });
    expect(JSON.stringify([lines, broker.stored.map(({ bytes }) => Buffer.from(bytes).toString('utf8'))])).not.toContain('canary-7b1e2f');
  });

  it('from a newer writer waits even then', async () => {
    const { tale, broker, request } = await told();
    const bytes = Buffer.from(Buffer.from(request.bytes).toString('utf8').replace('repair.requested@1', 'repair.requested@2'));
    expect(await setAsideRequest(agentOn(broker, tale, fakeGenerator()).deps, { ...request, bytes }, why)).toEqual({
      kind: 'again',
      cause: 'unknown_version',
    });
  });

  it('whose incident cannot be stored is settled all the same, and the loss is counted', async () => {
    const { tale, broker, request, settlement } = await told();
    const agent = agentOn({ log: broker.log, store: () => Promise.reject(new Error('gone')) }, tale, fakeGenerator());
    await setAsideRequest(agent.deps, request, why);
    expect(await settlement()).not.toBeNull();
    expect(agent.eventsLogged()).toContain('incident.lost');
  });
});

it('a failure without a claim says nothing of one', async () => {
  const { tale, broker, request } = await told();
  const event = (await eventAt(broker.log, request.subject)) as EventOf<'repairRequested'>;
  const draft = failureDraft(
    { request: event, agent: tale.repairAgent },
    { diagnostic: diagnosticOf('evidence_missing', event.data), claimed: false },
  );
  expect([draft.data.started, draft.causationId, draft.time]).toEqual([undefined, event.id, event.time]);
});
