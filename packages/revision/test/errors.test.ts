import { getEventListeners } from 'node:events';
import { replyContract, revise, RevisionError, spanDocument } from '@emend/revision';
import { describe, expect, test } from 'vitest';
import { oneStage } from './oneStage.js';
import { answered, counts, failed, refOf, revising, scriptedModel, withdrawing } from './scriptedModel.js';
import { claims, edit, exchange, judge, page, stageOf, target } from './shop.js';

const boast = edit('made of wool', 'made of organic wool');
const other = edit('light', 'organic');
const typo = edit('familiy', 'family');
const modest = edit('made of wool', 'made of fine wool');

describe('a fault of the program ends the stage (A88, A121)', () => {
  const places = ['call', 'check', 'factsOf', 'proposalOf', 'instruction'] as const;
  test.each(places)('thrown by %s, it is passed on as it is', async (place) => {
    const fault = new Error('a bug');
    const throws = () => {
      throw fault;
    };
    const check = { ...judge(throws) };
    const stage = stageOf(place === 'check' ? [target, claims, check] : undefined);
    const run = revise(
      place === 'check' || place === 'call' ? stage : { ...stage, [place]: throws },
      { exchange, proposals: [boast] },
      {
        budget: 1,
        profile: 'careful',
        call: place === 'call' ? throws : scriptedModel({ p1: [revising('p1', modest)] }).call,
        signal: new AbortController().signal,
      },
    );
    await expect(run).rejects.toBe(fault);
  });

  test('the other branches are told to stop, and have ended before it is passed on', async () => {
    const fault = new Error('a bug');
    let ended = false;
    const call = oneThrows(fault, () => {
      ended = true;
    });
    await expect(oneStage({ proposals: [boast, other], model: { call, calls: [] } })).rejects.toBe(fault);
    expect(ended).toBe(true);
  });
});

/** The first question throws; every other waits for its signal. */
function oneThrows(fault: Error, onEnd: () => void) {
  return (asked: Parameters<ReturnType<typeof scriptedModel>['call']>[0]) =>
    refOf(asked) === 'p1'
      ? Promise.reject(fault)
      : new Promise<never>((_, reject) => {
          asked.signal.addEventListener('abort', () => {
            // Not at once: whoever does not wait for it is gone by then.
            setImmediate(() => {
              onEnd();
              reject(new Error('stopped'));
            });
          });
        });
}

describe('a cancelled stage (A88, A105)', () => {
  test('before it began asks and judges nothing, and every proposal is cancelled', async () => {
    const meaning = judge(() => ({ kind: 'approved' }));
    const model = scriptedModel({});
    const { kind, dispositions } = await oneStage({ proposals: [typo, boast], chain: [meaning], model, signal: AbortSignal.abort() });
    expect([kind, dispositions, meaning.seen, model.calls]).toEqual(['cancelled', ['cancelled', 'cancelled'], [], []]);
  });

  test('during a call applies nothing, keeps what ended before, and counts the attempt', async () => {
    const stop = new AbortController();
    const model = scriptedModel({ p2: [withdrawing('p2')] });
    const call: typeof model.call = (asked) => {
      if (refOf(asked) === 'p2') return model.call(asked);
      return new Promise((_, reject) => {
        asked.signal.addEventListener('abort', () => reject(new Error('stopped')));
        // The other branch has ended by then: it needs no more than settled promises.
        setImmediate(() => stop.abort());
      });
    };
    const { kind, dispositions, texts, report } = await oneStage({
      proposals: [typo, other, boast],
      model: { ...model, call },
      signal: stop.signal,
    });
    expect([kind, dispositions, texts]).toEqual(['cancelled', ['cancelled', 'withdrawn', 'cancelled'], page]);
    expect(report.map(({ attempts }) => attempts)).toEqual([0, 1, 1]);
  });

  test('during a check ends there, though the check answered', async () => {
    const stop = new AbortController();
    const meaning = judge(() => {
      stop.abort();
      return { kind: 'approved' };
    });
    const last = { ...judge(() => ({ kind: 'approved' })), id: 'last' };
    const { kind, dispositions } = await oneStage({ proposals: [typo], chain: [meaning, last], signal: stop.signal });
    expect([kind, dispositions, last.seen]).toEqual(['cancelled', ['cancelled'], []]);
  });

  test.each([
    ['a revision', answered(revising('p1', modest))],
    ['a withdrawal', answered(withdrawing('p1'))],
    ['a failure', failed('provider_outage', counts)],
  ])('an answer that came with the cancellation brings nothing in, and what it cost is counted: %s', async (_name, answer) => {
    const stop = new AbortController();
    const model = scriptedModel({ p1: [answer] });
    const call: typeof model.call = (asked) => {
      stop.abort();
      return model.call(asked);
    };
    const { report, texts } = await oneStage({ proposals: [boast], model: { ...model, call }, signal: stop.signal });
    expect(report).toMatchObject([
      { disposition: 'cancelled', code: null, attempts: 1, usage: [{ promptTokens: 100, completionTokens: 10 }] },
    ]);
    expect(texts).toEqual(page);
  });

  test('a finding that came with the cancellation is no rejection', async () => {
    const stop = new AbortController();
    const meaning = judge(() => {
      stop.abort();
      return { kind: 'findings', findings: [{ code: 'meaning_changed', explanation: 'It reads otherwise.' }] };
    });
    expect((await oneStage({ proposals: [typo], chain: [meaning], budget: 0, signal: stop.signal })).dispositions).toEqual(['cancelled']);
  });

  test('between a check and a question asks nothing more, and counts no attempt', async () => {
    const stop = new AbortController();
    const model = scriptedModel({});
    const debug = { redact: (text: string) => text, record: () => stop.abort() };
    const { report } = await oneStage({ proposals: [boast], model, signal: stop.signal, debug });
    expect([model.calls, report]).toMatchObject([[], [{ disposition: 'cancelled', attempts: 0 }]]);
  });
});

test('a stage leaves no listener on its signal, however it ended', async () => {
  const { signal } = new AbortController();
  await oneStage({ proposals: [boast], model: scriptedModel({ p1: [withdrawing('p1')] }), signal });
  await expect(oneStage({ proposals: [boast], signal })).rejects.toThrow('no line');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

describe('what the host may not do', () => {
  const coded = async (work: () => Promise<unknown>): Promise<unknown> => {
    try {
      await work();
    } catch (error) {
      return error instanceof RevisionError ? error.code : error;
    }
    return 'nothing was thrown';
  };

  test('name two checks alike', async () => {
    expect(await coded(() => oneStage({ proposals: [], chain: [target, target] }))).toBe('validator_twice');
  });

  test('find something and not say what', async () => {
    const meaning = judge(() => ({ kind: 'findings', findings: [] }));
    expect(await coded(() => oneStage({ proposals: [typo], chain: [meaning] }))).toBe('findings_empty');
  });

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('give %d as a budget', async (budget) => {
    expect(await coded(() => oneStage({ proposals: [], budget }))).toBe('budget_invalid');
  });

  test('protect an empty term', async () => {
    expect(await coded(async () => spanDocument(page, ['']))).toBe('protected_term_empty');
  });

  test('describe a correction by a schema that does not compile', () => {
    expect(() => replyContract({ $ref: '#/$defs/correction' })).toThrow('contract_schema_invalid');
  });
});
