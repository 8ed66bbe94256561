import { canonicalText, judgeCompletion } from '@emend/contracts';
import { retry } from '@emend/runtime';
import { describe, expect, it } from 'vitest';
import type { EventAppender } from '@emend/runs';
import { answeringOf } from '../src/adapters/answering.js';
import { captured, contract, observer, validFor } from './scene.js';
import { fakeModel, malformed, noted, repaired, runnerOn, says, valid } from './runnerOn.js';

const done = { kind: 'done' };
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

describe('one source and one declaration', () => {
  it.each([
    ['as written', [says(valid)], { completion: 'exact', calls: { primary: 1, overseer: 0 } }],
    ['with a lossless edit', [says(`${valid.slice(0, -1)},}`)], { completion: 'repaired', edits: [{ code: 'trailing_comma', count: 1 }] }],
    ['by one overseer call', [says(malformed), says(repaired)], { completion: 'overseen', calls: { primary: 1, overseer: 1 } }],
  ])('end with an output %s (T51, T52)', async (_name, answers, data) => {
    const scene = await noted();
    const runner = runnerOn(scene.broker, fakeModel(...answers));
    expect(await runner.handle(scene.note)).toEqual(done);
    expect(await scene.ended()).toMatchObject({ name: 'outputProduced', data: { ...data, output: validFor() } });
    expect(await scene.started()).toMatchObject({ data: { role: 'standard', manifest: { sources: [scene.note.subject] } } });
    expect(runner.aside.size).toBe(0);
  });

  it('tells the run trace of its overseer call, and of no other', async () => {
    const scene = await noted();
    const runner = runnerOn(scene.broker, fakeModel(says(malformed), says(repaired)));
    await runner.handle(scene.note);
    const run = (await scene.ended())?.name === 'outputProduced' ? runner.trace.map((event) => event.run) : [];
    expect(runner.trace.map(({ kind }) => kind)).toEqual(['started', 'succeeded']);
    expect(new Set(run).size).toBe(1);
  });

  it('a failed run keeps its text out of the log and in the quarantine, after its end (T54)', async () => {
    const scene = await noted();
    const secret = canonicalText({ canary: 'sk-canary-1f' });
    let endedFirst: unknown;
    const aside: string[] = [];
    const quarantine = {
      async setAside(_run: string, text: string) {
        endedFirst = await scene.ended();
        aside.push(text);
      },
    };
    const runner = runnerOn(scene.broker, fakeModel(says(secret)), { quarantine });
    await runner.handle(scene.note);
    expect(endedFirst).toMatchObject({
      name: 'runFailed',
      data: { diagnostic: { class: 'contract_violation' }, calls: { primary: 1, overseer: 1 } },
    });
    expect(aside).toEqual([secret]);
    expect(JSON.stringify([await scene.ended(), runner.lines, runner.trace])).not.toContain('sk-canary');
  });

  it.each([
    ['a source that it was not shown', { evidence: [{ eventId: 'other', quote: 'read' }] }, 'evidence-in-context'],
    ['a quote that is none', { evidence: [{ ...validFor().evidence[0], quote: 'never said' }] }, 'evidence-quote-verbatim'],
    ['a form feed', { summary: 'The gauge\fread 4.12 m.' }, 'no-control-characters'],
    ['one phrase over and over', { summary: 'the gauge read four and '.repeat(20) }, 'no-repetition-loop'],
  ])('%s ends as a semantic failure, without another call', async (_name, change, ruleId) => {
    const scene = await noted();
    const text = canonicalText({ ...validFor(), ...change });
    const model = fakeModel(says(text));
    await runnerOn(scene.broker, model).handle(scene.note);
    expect(await scene.ended()).toMatchObject({
      name: 'runFailed',
      data: { diagnostic: { class: 'semantic_validation', ruleId, candidateBytes: Buffer.byteLength(text) } },
    });
    expect(model.asked).toHaveLength(1);
  });

  it.each([
    ['a code of the model', { kind: 'failed', code: 'context_exceeded' }, 'too_large'],
    ['a code of the sandbox', { kind: 'failed', code: 'worker_ended_early' }, 'sandbox'],
    ['a length stop', says(valid.slice(0, 20), 'length'), 'truncated'],
  ] as const)('ends with the class of %s, unrepaired', async (_name, answer, kind) => {
    const scene = await noted();
    const model = fakeModel(answer);
    await runnerOn(scene.broker, model).handle(scene.note);
    expect(await scene.ended()).toMatchObject({ name: 'runFailed', data: { diagnostic: { class: kind } } });
    expect(model.asked).toHaveLength(1);
  });

  it('a generator that throws ends its run, and what it threw is not repeated', async () => {
    const scene = await noted();
    const runner = runnerOn(scene.broker, fakeModel());
    await runner.handle(scene.note);
    expect(await scene.ended()).toMatchObject({ data: { diagnostic: { class: 'process' } } });
    expect(runner.eventsLogged()).toContain('run.generator_threw');
  });

  it('waits in place for a provider that proves not to have generated', async () => {
    const scene = await noted();
    const runner = runnerOn(scene.broker, fakeModel({ kind: 'not_generated', code: 'rate_limited' }, says(valid)));
    const handling = runner.handle(scene.note);
    while (runner.time.pending() === 0) await new Promise((resolve) => setImmediate(resolve));
    runner.time.advance(1_000);
    expect(await handling).toEqual(done);
    expect(await scene.ended()).toMatchObject({ name: 'outputProduced' });
  });

  it('told to stop while it waits it ends as cancelled', async () => {
    const scene = await noted();
    const runner = runnerOn(scene.broker, fakeModel({ kind: 'not_generated', code: 'rate_limited' }));
    const handling = runner.handle(scene.note);
    while (runner.time.pending() === 0) await new Promise((resolve) => setImmediate(resolve));
    runner.stop();
    expect(await handling).toEqual(done);
    expect(await scene.ended()).toMatchObject({ data: { diagnostic: { class: 'cancelled' } } });
  });

  it.each([
    ['the call', 0],
    ['its repair', 1],
  ])('given up during %s it ends as cancelled, and nothing is repaired (I7)', async (_name, nth) => {
    const scene = await noted();
    const giveUp = new AbortController();
    const model = fakeModel(...[says(malformed)].slice(0, nth), () => {
      giveUp.abort();
      return nth === 0 ? { kind: 'failed', code: 'run_cancelled' } : says(repaired);
    });
    await runnerOn(scene.broker, model).handle(scene.note, giveUp.signal);
    expect(await scene.ended()).toMatchObject({ name: 'runFailed', data: { diagnostic: { class: 'cancelled' } } });
    expect(model.asked).toHaveLength(nth + 1);
  });
});

describe('ring 1 off (I5)', () => {
  const texts = [valid, malformed, `${valid.slice(0, -1)},}`, `\`\`\`json\n${valid}\n\`\`\``, '', '{"a":', '{"error":{"message":"x"}}'];

  it.each(texts)('is as if it did not exist: %j', async (text) => {
    const scene = await noted();
    const model = fakeModel(says(text));
    const runner = runnerOn(scene.broker, model, { ringOne: false });
    await runner.handle(scene.note);
    const judged = judgeCompletion(contract, { text, finishReason: 'stop' }, { sources: new Map() }, []);
    const end = judged.kind === 'valid' ? { output: judged.output, completion: 'exact' } : { diagnostic: judged.diagnostic };
    expect(await scene.ended()).toMatchObject({ data: { ...end, calls: { primary: 1, overseer: 0 } } });
    expect([model.asked.length, runner.trace.length]).toEqual([1, 0]);
  });
});

describe('what is answered', () => {
  it('a source that no declaration subscribes to is skipped', async () => {
    const scene = await noted();
    const model = fakeModel();
    const answering = answeringOf({ ...waiting(scene, model), outputRepair: null });
    const agents = [{ agent: observer({ subscriptions: ['stream.thought.source.photo.>'] }), contract, answering }];
    expect(await runnerOn(scene.broker, model, { agents }).handle(scene.note)).toEqual({ kind: 'skip', reason: 'not_subscribed' });
  });

  it('each declaration that it fits answers once', async () => {
    const scene = await noted();
    const model = fakeModel(says(valid));
    const answering = answeringOf({ ...waiting(scene, model), outputRepair: null });
    const agents = [observer(), observer({ version: 2 })].map((agent) => ({ agent, contract, answering }));
    const runner = runnerOn(scene.broker, model, { agents });
    await runner.handle(scene.note);
    await runner.handle(scene.note);
    expect(model.asked).toHaveLength(2);
  });

  it('what is no source is skipped, and what is newer waits', async () => {
    const scene = await noted();
    const runner = runnerOn(scene.broker, fakeModel());
    const bytes = (change: object): Uint8Array =>
      new TextEncoder().encode(JSON.stringify({ ...(JSON.parse(new TextDecoder().decode(scene.note.bytes)) as object), ...change }));
    expect(await runner.handle({ ...scene.note, bytes: bytes({ id: 'x' }) })).toEqual({ kind: 'skip', reason: 'trigger_void' });
    expect(await runner.handle({ ...scene.note, bytes: bytes({ type: 'stream.thought.source.note.captured@9' }) })).toEqual({
      kind: 'again',
      cause: 'unknown_version',
    });
  });
});

function waiting(scene: Awaited<ReturnType<typeof noted>>, generator: ReturnType<typeof fakeModel>) {
  const { deps, time } = runnerOn(scene.broker, generator);
  return { generator, contract, timers: time, stopping: deps.stopping, waitMaxMs: 0, events: deps.events };
}

describe('a delivery that dies', () => {
  /** Dies at one append, before or after the log has it. */
  const dyingAt = (appender: EventAppender, nth: number, stored: boolean, reached: () => void): EventAppender => {
    let appends = 0;
    return {
      async append(event) {
        appends += 1;
        if (appends !== nth) return appender.append(event);
        if (stored) await appender.append(event);
        reached();
        return never();
      },
    };
  };

  it.each([
    ['before its claim is stored', 1, false, { attempt: 1, calls: 1 }],
    ['after its claim is stored', 1, true, { attempt: 2, calls: 1 }],
    ['with its output in hand', 2, false, { attempt: 2, calls: 2 }],
    ['before it acknowledges', 2, true, { attempt: 1, calls: 1 }],
  ])('%s: the next one ends what can be ended', async (_name, nth, stored, { attempt, calls }) => {
    const scene = await noted();
    const model = fakeModel(says(valid));
    await new Promise<void>((resolve) => {
      const { deps } = runnerOn(scene.broker, model);
      void runnerOn(scene.broker, model, { appender: dyingAt(deps.appender, nth, stored, resolve) }).handle(scene.note);
    });
    expect(await runnerOn(scene.broker, model).handle(scene.note)).toEqual(done);
    expect(await scene.ended(attempt)).toMatchObject({ name: 'outputProduced' });
    if (attempt === 2) expect(await scene.ended(1)).toMatchObject({ data: { diagnostic: { class: 'abandoned' } } });
    else expect(await scene.started(2)).toBeNull();
    expect(model.asked).toHaveLength(calls);
  });

  it('during its call: its claim is given up, its late end loses, and its message stays with whoever holds the next attempt', async () => {
    const scene = await noted();
    let answer = (): void => undefined;
    const slow = fakeModel(async () => {
      await new Promise<void>((resolve) => (answer = resolve));
      return says(malformed, 'stop');
    });
    const late = runnerOn(scene.broker, slow, { ringOne: false });
    const handling = late.handle(scene.note);
    while (slow.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await runnerOn(scene.broker, fakeModel(says(valid))).handle(scene.note);
    answer();
    expect(await handling).toEqual(retry(30_000, 'end_lost'));
    expect(late.eventsLogged()).toContain('run.end_lost');
    expect(late.aside.size).toBe(0);
    expect(await scene.ended(1)).toMatchObject({ data: { diagnostic: { class: 'abandoned' } } });
    expect(await scene.ended(2)).toMatchObject({ name: 'outputProduced' });
  });

  it('as often as there are attempts leaves the source unanswered, and no further call', async () => {
    const scene = await noted();
    const dead = fakeModel(() => never());
    for (let delivery = 1; delivery <= 3; delivery += 1) {
      const runner = runnerOn(scene.broker, dead);
      void runner.handle(scene.note);
      while (dead.asked.length < Math.min(delivery, 2)) await new Promise((resolve) => setImmediate(resolve));
    }
    const last = runnerOn(scene.broker, fakeModel());
    expect(await last.handle(scene.note)).toEqual(done);
    expect(last.eventsLogged()).toContain('run.attempts_used_up');
    expect(dead.asked).toHaveLength(2);
    expect(await scene.started(3)).toBeNull();
  });

  it('too often is set aside: its claim is given up, and nothing begins', async () => {
    const scene = await noted();
    const dead = fakeModel(() => never());
    void runnerOn(scene.broker, dead).handle(scene.note);
    while (dead.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const runner = runnerOn(scene.broker, fakeModel());
    expect(await runner.setAside(scene.note)).toEqual(done);
    expect(await scene.ended(1)).toMatchObject({ data: { diagnostic: { class: 'abandoned' } } });
    expect(await scene.started(2)).toBeNull();
  });
});

describe('a source before the start', () => {
  it('is left as it is, and a claim that was left on one is given up', async () => {
    const scene = await noted();
    const startSequence = scene.note.sequence + 1;
    const skipped = { kind: 'skip', reason: 'before_start' };
    expect(await runnerOn(scene.broker, fakeModel(), { startSequence }).handle(scene.note)).toEqual(skipped);
    expect(await scene.started()).toBeNull();

    const dead = fakeModel(() => never());
    void runnerOn(scene.broker, dead).handle(scene.note);
    while (dead.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await runnerOn(scene.broker, fakeModel(), { startSequence }).handle(scene.note)).toEqual(skipped);
    expect(await scene.ended()).toMatchObject({ data: { diagnostic: { class: 'abandoned' } } });
    expect(await scene.started(2)).toBeNull();
  });
});

describe('two deliveries at once', () => {
  it('one claims and answers, the other comes again later', async () => {
    const scene = await noted();
    const models = [fakeModel(says(valid)), fakeModel(says(valid))];
    // Both look before either appends: what they saw decides nothing.
    const outcomes = await Promise.all(models.map((model) => runnerOn(scene.broker, model).handle(scene.note)));
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['done', 'retry']);
    expect(models.map(({ asked }) => asked.length).toSorted()).toEqual([0, 1]);
    expect(await scene.ended()).toMatchObject({ name: 'outputProduced' });
  });

  it.each([
    [
      { kind: 'unknown', cause: 'timeout' },
      { kind: 'again', cause: 'claim_unknown' },
    ],
    [{ kind: 'full' }, { kind: 'stop', cause: 'log_full' }],
  ] as const)('an append that ends as %j calls no model', async (appended, outcome) => {
    const scene = await noted();
    const model = fakeModel();
    const appender: EventAppender = { append: () => Promise.resolve(appended) };
    expect(await runnerOn(scene.broker, model, { appender }).handle(scene.note)).toEqual(outcome);
    expect(model.asked).toHaveLength(0);
  });

  it('another source is another run', async () => {
    const scene = await noted();
    const model = fakeModel(says(valid));
    const runner = runnerOn(scene.broker, model);
    await runner.handle(scene.note);
    await runner.handle(await captured(scene.broker.log, 'n002'));
    expect(model.asked).toHaveLength(2);
  });
});
