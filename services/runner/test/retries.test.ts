import { canonicalHash, canonicalText } from '@emend/contracts';
import { describe, expect, it } from 'vitest';
import { decideRetry, type InvocationEnd, retryTable } from '../src/domain/retries.js';
import { renderRunnerPrompt } from '../src/domain/runnerPrompt.js';
import { observer, sourceOf, validFor } from './scene.js';
import { fakeModel, type FakeModel, malformed, noted, repaired, runnerOn, says, valid } from './runnerOn.js';

const done = { kind: 'done' };
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
/** A valid form with a quote that its source does not have. */
const misquoting = canonicalText({ ...validFor(), evidence: [{ ...validFor().evidence[0], quote: 'never said' }] });

/** Who was asked what: an overseer call has a contract of its own. */
const kindsOf = ({ asked }: FakeModel) => asked.map(({ contract }) => (contract.name.endsWith('_output_repair') ? 'overseer' : 'primary'));

/** Writes the same text for ever, and repairs nothing. */
const stubborn = (text: string) => fakeModel(says(text));

describe('the table of retries', () => {
  it('has one row for each combination', () => {
    for (const ended of ['output', 'refused', 'failed'] as const)
      for (const left of [0, 1])
        for (const givenUp of [false, true]) {
          const words = [left > 0 ? 'some' : 'none', givenUp ? 'yes' : 'no'];
          const rows = retryTable.filter(
            (row) => row.ended === ended && ['any', words[0]].includes(row.left) && ['any', words[1]].includes(row.givenUp),
          );
          expect(rows).toHaveLength(1);
          expect(decideRetry({ ended, left, givenUp })).toBe(rows[0]?.step);
        }
  });

  it.each<readonly [InvocationEnd, number, boolean, string]>([
    ['output', 3, false, 'end'],
    ['failed', 3, false, 'end'],
    ['refused', 0, false, 'end'],
    ['refused', 1, true, 'cancel'],
    ['refused', 1, false, 'retry'],
  ])('%s with %d left, given up: %s', (ended, left, givenUp, step) => {
    expect(decideRetry({ ended, left, givenUp })).toBe(step);
  });
});

describe('an output that is refused', () => {
  it.each([0, 1, 2, 3])(
    'is asked for again %d times at most, each time with one overseer call of its own (O19, O25, I4)',
    async (retries) => {
      const scene = await noted();
      const model = stubborn(malformed);
      const runner = runnerOn(scene.broker, model, { retries });
      expect(await runner.handle(scene.note)).toEqual(done);
      const invocations = retries + 1;
      expect(kindsOf(model)).toEqual(Array.from({ length: invocations }, () => ['primary', 'overseer']).flat());
      const end = await scene.ended();
      expect(end).toMatchObject({
        name: 'runFailed',
        data: { diagnostic: { class: 'contract_violation' }, calls: { primary: invocations, overseer: invocations } },
      });
      expect(end?.name === 'runFailed' ? (end.data.retries ?? []) : null).toHaveLength(retries);
      expect(runner.eventsLogged().filter((event) => event === 'run.retried')).toHaveLength(retries);
      // Answered: a redelivery asks nobody.
      await runnerOn(scene.broker, fakeModel(), { retries }).handle(scene.note);
    },
  );

  it('is told what for, and of the text not a word', async () => {
    const scene = await noted();
    const secret = canonicalText({ canary: 'sk-canary-7d' });
    const model = fakeModel(says(secret), says(secret), says(valid));
    const runner = runnerOn(scene.broker, model, { retries: 1 });
    await runner.handle(scene.note);
    const [first, , second] = model.asked;
    expect(second?.messages[0]).toEqual(first?.messages[0]);
    const [before, after] = [first?.messages[1]?.content ?? '', second?.messages[1]?.content ?? ''];
    expect(after.startsWith(`${before}\n\nAn earlier answer to this source was refused (contract_violation):\n`)).toBe(true);
    expect(after).toContain('- required at /title');
    expect(after).not.toContain('canary');
    expect(JSON.stringify([await scene.ended(), runner.lines, runner.trace])).not.toContain('sk-canary');
  });

  it('and then accepted is the output of its run, with the prompt that it answers', async () => {
    const scene = await noted();
    const model = fakeModel(says(malformed), says(malformed), says(`${valid.slice(0, -1)},}`));
    const runner = runnerOn(scene.broker, model, { retries: 3 });
    await runner.handle(scene.note);
    const [first, , second] = model.asked.map(({ messages }) => canonicalHash(messages));
    expect(await scene.started()).toMatchObject({ data: { manifest: { promptHash: first } } });
    expect(await scene.ended()).toMatchObject({
      name: 'outputProduced',
      data: {
        completion: 'repaired',
        calls: { primary: 2, overseer: 1 },
        retries: [
          { refused: { class: 'contract_violation', issues: [{ code: 'required', path: '/title' }], issueCount: 1 }, promptHash: second },
        ],
      },
    });
    expect(runner.aside.size).toBe(0);
  });

  it('has prompts that can be rendered again from the log alone', async () => {
    const scene = await noted();
    const crowded = canonicalText({ ...validFor(), tags: Array.from({ length: 12 }, (_, n) => n) });
    const runner = runnerOn(scene.broker, fakeModel(says(crowded), says(crowded), says(misquoting), says(valid)), { retries: 2 });
    await runner.handle(scene.note);
    const end = await scene.ended();
    const retries = end?.name === 'outputProduced' ? (end.data.retries ?? []) : [];
    const { agent, contract } = runner.deps.agents[0] ?? { agent: observer(), contract: null };
    const source = { eventId: sourceOf().id, text: sourceOf().data.text };
    const facts = { prompt: agent.prompt, contractPrompt: contract?.promptDescription ?? '', source };
    const again = retries.map(({ refused }) => canonicalHash(renderRunnerPrompt({ ...facts, refused })));
    expect(again).toEqual(retries.map(({ promptHash }) => promptHash));
    expect(retries.map(({ refused }) => [refused.class, refused.issues.length])).toEqual([
      ['contract_violation', 8],
      ['semantic_validation', 1],
    ]);
  });

  it('by a rule is asked for again without an overseer call, with the rule in the prompt', async () => {
    const scene = await noted();
    const model = fakeModel(says(misquoting), says(valid));
    await runnerOn(scene.broker, model, { retries: 1 }).handle(scene.note);
    expect(kindsOf(model)).toEqual(['primary', 'primary']);
    expect(model.asked[1]?.messages[1]?.content).toContain('- rule evidence-quote-verbatim');
    expect(await scene.ended()).toMatchObject({
      name: 'outputProduced',
      data: { retries: [{ refused: { class: 'semantic_validation' } }] },
    });
  });

  it('leaves the text of its last invocation in the quarantine, which is what its diagnostic is about', async () => {
    const scene = await noted();
    const runner = runnerOn(scene.broker, fakeModel(says(misquoting), says('{"a":1}'), says('no repair')), { retries: 1 });
    await runner.handle(scene.note);
    expect(await scene.ended()).toMatchObject({ data: { diagnostic: { class: 'contract_violation', candidateBytes: 7 } } });
    expect([...runner.aside.values()]).toEqual(['{"a":1}']);
  });

  it('has a name of its own in the run trace for each invocation', async () => {
    const scene = await noted();
    const runner = runnerOn(scene.broker, stubborn(malformed), { retries: 2 });
    await runner.handle(scene.note);
    const [run] = new Set(runner.trace.map((event) => event.run));
    expect(runner.trace.map(({ kind, invocation }) => [kind, invocation])).toEqual(
      [1, 2, 3].flatMap((n) => [
        ['started', `${run}-${n}`],
        ['failed', `${run}-${n}`],
      ]),
    );
  });

  it('with ring 1 off is asked for again all the same, and nobody oversees', async () => {
    const scene = await noted();
    const model = stubborn(malformed);
    await runnerOn(scene.broker, model, { retries: 2, ringOne: false }).handle(scene.note);
    expect(kindsOf(model)).toEqual(['primary', 'primary', 'primary']);
    expect(await scene.ended()).toMatchObject({ data: { calls: { primary: 3, overseer: 0 } } });
  });
});

describe('what is never asked for again', () => {
  it.each([
    ['a failure of the provider', { kind: 'failed', code: 'provider_failed' }, 'provider_outage'],
    ['a failure of the sandbox', { kind: 'failed', code: 'worker_ended_early' }, 'sandbox'],
    ['a cancelled call', { kind: 'failed', code: 'run_cancelled' }, 'cancelled'],
    ['a cut-off text', says(valid.slice(0, 20), 'length'), 'truncated'],
    ['a refusal', says('', 'refusal'), 'refused'],
    ['a tool call', says(valid, 'tool_calls'), 'tool_call'],
    ['an error in place of an output', says('{"error":{"type":"rate_limit_error","message":"x"}}'), 'rate_limited'],
  ] as const)('%s', async (_name, answer, kind) => {
    const scene = await noted();
    const model = fakeModel(answer);
    await runnerOn(scene.broker, model, { retries: 3 }).handle(scene.note);
    const end = await scene.ended();
    expect(end).toMatchObject({ name: 'runFailed', data: { diagnostic: { class: kind }, calls: { primary: 1, overseer: 0 } } });
    expect(end?.data).not.toHaveProperty('retries');
    expect(model.asked).toHaveLength(1);
  });

  it.each([
    ['by the model', 1, says(misquoting)],
    ['by its repair', 2, says(malformed)],
  ])('an output that is refused as the drain ends: cancelled, refused %s (F17, I7)', async (_name, calls, answer) => {
    const scene = await noted();
    const giveUp = new AbortController();
    const model = fakeModel(...[says(malformed)].slice(0, calls - 1), () => {
      giveUp.abort();
      return answer;
    });
    await runnerOn(scene.broker, model, { retries: 3 }).handle(scene.note, giveUp.signal);
    expect(await scene.ended()).toMatchObject({ name: 'runFailed', data: { diagnostic: { class: 'cancelled' } } });
    expect(model.asked).toHaveLength(calls);
  });

  it('a retry that fails otherwise ends the run with its own class, and its calls are counted', async () => {
    const scene = await noted();
    const model = fakeModel(says(misquoting), { kind: 'failed', code: 'provider_failed' });
    await runnerOn(scene.broker, model, { retries: 3 }).handle(scene.note);
    expect(await scene.ended()).toMatchObject({
      data: {
        diagnostic: { class: 'provider_outage' },
        calls: { primary: 2, overseer: 0 },
        retries: [{ refused: { class: 'semantic_validation' } }],
      },
    });
    expect(model.asked).toHaveLength(2);
  });
});

describe('a holder that dies', () => {
  it.each([1, 2, 3])('in its invocation %d has spent the retries of its claim: the next claim has none (O40)', async (nth) => {
    const scene = await noted();
    const dead = fakeModel(...Array.from({ length: nth - 1 }, () => says(misquoting)), () => never());
    void runnerOn(scene.broker, dead, { retries: 3 }).handle(scene.note);
    while (dead.asked.length < nth) await new Promise((resolve) => setImmediate(resolve));
    const model = stubborn(misquoting);
    expect(await runnerOn(scene.broker, model, { retries: 3 }).handle(scene.note)).toEqual(done);
    expect(await scene.ended(1)).toMatchObject({ data: { diagnostic: { class: 'abandoned' } } });
    const end = await scene.ended(2);
    expect(end).toMatchObject({ data: { diagnostic: { class: 'semantic_validation' }, calls: { primary: 1, overseer: 0 } } });
    expect(end?.data).not.toHaveProperty('retries');
    expect(model.asked).toHaveLength(1);
  });
});

describe('a stop word that nobody knows (F15)', () => {
  /** As the metric counts them. */
  const unknowns = async (runner: ReturnType<typeof runnerOn>) =>
    Number((await runner.metric('runner_finish_reasons_unknown_total'))?.split(' ').at(-1));

  it.each([true, false])(
    'with open containers is neither repaired, accepted nor asked for again, and it is counted; ring 1: %s',
    async (ringOne) => {
      const scene = await noted();
      const model = fakeModel(says('{"title": "a", "tags": [', 'paused'));
      const runner = runnerOn(scene.broker, model, { retries: 3, ringOne });
      await runner.handle(scene.note);
      expect((await scene.ended())?.name).toBe('runFailed');
      expect(await unknowns(runner)).toBe(1);
      expect(kindsOf(model)).not.toContain('overseer');
      expect(model.asked).toHaveLength(1);
    },
  );

  it('of an overseer is counted too, and its answer is none', async () => {
    const scene = await noted();
    const runner = runnerOn(scene.broker, fakeModel(says(malformed), says(repaired, 'paused')));
    await runner.handle(scene.note);
    expect((await scene.ended())?.name).toBe('runFailed');
    expect(await unknowns(runner)).toBe(1);
  });

  it('around a whole output changes nothing about it, and it is counted', async () => {
    const scene = await noted();
    const runner = runnerOn(scene.broker, fakeModel(says(valid, null)));
    await runner.handle(scene.note);
    expect(await scene.ended()).toMatchObject({ name: 'outputProduced', data: { completion: 'exact' } });
    expect(await unknowns(runner)).toBe(1);
  });

  it('never takes the place of a good output', async () => {
    const scene = await noted();
    await runnerOn(scene.broker, fakeModel(says(valid))).handle(scene.note);
    const before = await scene.ended();
    const model = fakeModel(says('{"title": "a', 'paused'));
    await runnerOn(scene.broker, model).handle(scene.note);
    expect([await scene.ended(), model.asked.length]).toEqual([before, 0]);
  });
});
