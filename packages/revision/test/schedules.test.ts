import { applyInOrder, applySpan, type CallAnswer, repairReport, revise, type SpanEdit, spanDocument, textsOf } from '@emend/revision';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answered, failed, refOf, revising, withdrawing } from './scriptedModel.js';
import { type Check, exchange, judge, stageOf } from './shop.js';

const text = 'ab cd ef gh ij kl';
const protectedTerm = 'ef';
const budget = 2;

/** What is waiting for an answer: a question to the model, or one to the check that asks a model. */
interface Waiting {
  readonly name: string;
  readonly answer: () => void;
}

/** One random set of proposals, with what the model answers to each question about each and what the checks say. */
interface Field {
  readonly proposals: readonly SpanEdit[];
  readonly replies: readonly (readonly CallAnswer[])[];
  readonly attemptsMax?: number;
}

/** Runs a stage in which everything waits, and lets the choices say which answer comes next. Returns what came of it, as bytes. */
async function underSchedule({ proposals, replies, attemptsMax = budget }: Field, choose: (waiting: readonly Waiting[]) => number) {
  let waiting: Waiting[] = [];
  const later = <T>(name: string, value: () => T): Promise<T> =>
    new Promise((resolve) => waiting.push({ name, answer: () => resolve(value()) }));
  const asked = new Map<string, number>();
  const meaning = judge((proposal) =>
    later(`meaning of ${proposal.original}`, () => (proposal.replacement.includes('?') ? rejection : ({ kind: 'approved' } as const))),
  );
  const running = revise(
    { ...stageOf(), chain: [sense, meaning], factsOf: () => ['span'] },
    { exchange, proposals },
    {
      budget: attemptsMax,
      profile: 'careful',
      signal: new AbortController().signal,
      call: (call) => {
        const ref = refOf(call);
        const turn = asked.get(ref) ?? 0;
        asked.set(ref, turn + 1);
        return later(`${ref}, turn ${turn + 1}`, () => replies[Number(ref.slice(1)) - 1]?.[turn] ?? failed('no_line'));
      },
    },
  );
  let done = false;
  void running.finally(() => {
    done = true;
  });
  const order: string[] = [];
  for (;;) {
    // Everything that can go on without an answer has gone on by the next turn of the event loop.
    await new Promise(setImmediate);
    if (done) break;
    const next = waiting[choose(waiting)];
    if (next === undefined) throw new Error('nothing waits, and the stage is not done');
    waiting = waiting.filter((one) => one !== next);
    order.push(next.name);
    next.answer();
  }
  const { branches } = await running;
  const { document, outcomes } = applyInOrder(branches, spanDocument({ description: text }, [protectedTerm]), applySpan);
  const texts = Object.fromEntries(textsOf(document));
  return { bytes: JSON.stringify([texts, outcomes, repairReport(outcomes)]), texts, order, outcomes, calls: [...asked.values()] };
}

const rejection = { kind: 'findings', findings: [{ code: 'meaning_changed', explanation: 'It reads otherwise.' }] } as const;
const isRejected = ({ replacement }: SpanEdit): boolean => /[!?]/.test(replacement);
const sense: Check = {
  id: 'sense',
  kind: 'deterministic',
  needs: [],
  assess: ({ proposal }) => (proposal.replacement.includes('!') ? rejection : { kind: 'approved' }),
};

/** Spans of a short text, so that many overlap; replacements that a check rejects half of the time. */
const edits = fc
  .record({ start: fc.nat(14), length: fc.integer({ min: 1, max: 6 }), replacement: fc.constantFrom('', 'x', 'yy', '!', '?', '!?') })
  .map(({ start, length, replacement }): SpanEdit => ({ target: 'description', original: text.slice(start, start + length), replacement }));

const replyTo = (ref: string): fc.Arbitrary<CallAnswer> =>
  fc.oneof(
    { weight: 5, arbitrary: edits.map((revised) => answered(revising(ref, revised))) },
    { weight: 1, arbitrary: fc.constant(answered(withdrawing(ref))) },
    { weight: 1, arbitrary: fc.constantFrom(answered(withdrawing('p0')), answered('no json'), failed('provider_outage')) },
  );

const fields = (most: number): fc.Arbitrary<Field> =>
  fc.array(edits, { minLength: 1, maxLength: most }).chain((proposals) =>
    fc.record({
      proposals: fc.constant(proposals),
      replies: fc.tuple(...proposals.map((_, index) => fc.array(replyTo(`p${index + 1}`), { minLength: budget, maxLength: budget }))),
    }),
  );

const inOrder = () => 0;

describe('the schedule of branches changes nothing (A54)', () => {
  test('10,000 random sets of overlapping proposals come out the same, byte for byte, under a random schedule', async () => {
    const seen = new Set<string>();
    let reordered = 0;
    await fc.assert(
      fc.asyncProperty(fields(6), fc.array(fc.nat(), { minLength: 1, maxLength: 40 }), async (field, choices) => {
        const control = await underSchedule(field, inOrder);
        let step = 0;
        const other = await underSchedule(field, (waiting) => (choices[step++ % choices.length] ?? 0) % waiting.length);
        expect(other.bytes).toBe(control.bytes);
        if (other.order.join() !== control.order.join()) reordered += 1;
        for (const { disposition, code } of control.outcomes) seen.add(`${disposition} ${code ?? ''}`.trim());
      }),
      { numRuns: 10_000, seed: 5 },
    );
    expect(reordered).toBeGreaterThan(5_000);
    // Every outcome but a missing effect and a cancellation.
    expect([...seen].toSorted()).toEqual([
      'approved_applied',
      'approved_not_applied conflict',
      'approved_not_applied protected',
      'approved_not_applied stale',
      'exhausted',
      'unavailable provider_outage',
      'unusable reply_names_another_proposal',
      'unusable reply_not_json',
      'withdrawn',
    ]);
  });

  test('every schedule that there is of three branches gives the same bytes', async () => {
    let schedules = 0;
    await fc.assert(
      fc.asyncProperty(fields(3), async (field) => {
        const control = await underSchedule(field, inOrder);
        for await (const { bytes } of everySchedule(field)) {
          schedules += 1;
          expect(bytes).toBe(control.bytes);
        }
      }),
      { numRuns: 40, seed: 5 },
    );
    expect(schedules).toBeGreaterThan(1_000);
  });

  test('every branch asks at once: the engine holds no call back, and admission is the port’s (A90)', async () => {
    const proposals = 'abcdefghij'.split('').map((letter): SpanEdit => ({ target: 'description', original: letter, replacement: '!' }));
    const most: number[] = [];
    await underSchedule({ proposals, replies: [] }, (waiting) => {
      most.push(waiting.filter(({ name }) => name.includes('turn')).length);
      return Math.max(
        0,
        waiting.findIndex(({ name }) => name.startsWith('meaning')),
      );
    });
    expect(Math.max(...most)).toBe(proposals.length);
  });

  test('the calls are at most the budget for each rejected proposal, and none for another (I4)', async () => {
    await fc.assert(
      fc.asyncProperty(fields(4), fc.nat(3), async (field, attemptsMax) => {
        const { calls, outcomes } = await underSchedule({ ...field, attemptsMax }, inOrder);
        const rejected = field.proposals.filter(isRejected);
        expect(calls.length).toBe(attemptsMax === 0 ? 0 : rejected.length);
        expect(calls.every((count) => count <= attemptsMax)).toBe(true);
        expect(calls.reduce((sum, count) => sum + count, 0)).toBe(outcomes.reduce((sum, { spent }) => sum + spent.attempts, 0));
      }),
      { numRuns: 500, seed: 5 },
    );
  });

  test('with a budget of 0 the text is that of the plain filter, as if there were no revision (I5)', async () => {
    await fc.assert(
      fc.asyncProperty(fields(6), async (field) => {
        const { texts, outcomes } = await underSchedule({ ...field, attemptsMax: 0 }, inOrder);
        let plain = spanDocument({ description: text }, [protectedTerm]);
        for (const proposal of field.proposals.filter((one) => !isRejected(one))) {
          const result = applySpan(plain, proposal);
          if (result.kind === 'applied') plain = result.document;
        }
        expect(texts).toEqual(Object.fromEntries(textsOf(plain)));
        expect(outcomes.every(({ candidate, findings }) => candidate.lineage.version === 1 && findings.length <= 1)).toBe(true);
      }),
      { numRuns: 500, seed: 5 },
    );
  });
});

/** Walks the tree of choices: each run repeats a prefix of choices and takes the first way after it. */
async function* everySchedule(field: Field) {
  const prefixes: number[][] = [[]];
  for (let prefix = prefixes.pop(); prefix !== undefined; prefix = prefixes.pop()) {
    const taken: number[] = [];
    const from = prefix;
    const run = await underSchedule(field, (waiting) => {
      const choice = from[taken.length] ?? 0;
      if (taken.length >= from.length) for (let way = 1; way < waiting.length; way += 1) prefixes.push([...taken, way]);
      taken.push(choice);
      return choice;
    });
    yield run;
  }
}
