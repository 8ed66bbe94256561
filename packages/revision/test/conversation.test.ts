import { describe, expect, test } from 'vitest';
import { oneStage } from './oneStage.js';
import { answered, refOf, revising, scriptedModel } from './scriptedModel.js';
import { edit, exchange, stageOf } from './shop.js';

const boast = edit('made of wool', 'made of organic wool');
const still = edit('made of wool', 'waterproof');
const taller = edit('light jacket', 'waterproof jacket');

const root = [...exchange.messages, { role: 'assistant', content: exchange.reply }];

describe('the conversation of a branch (A94)', () => {
  const ofBudget2 = async () => {
    const model = scriptedModel({ p1: [revising('p1', still), revising('p1', boast)], p3: ['no json', revising('p3', taller)] });
    const stage = await oneStage({ proposals: [boast, edit('familiy', 'family'), taller], model, budget: 2 });
    const ofRef = (ref: string) => model.calls.filter((call) => refOf(call) === ref).map(({ messages }) => messages);
    return { ...stage, calls: model.calls, p1: ofRef('p1'), p3: ofRef('p3') };
  };

  test('starts with every message of the first request and the whole reply, then asks about one proposal', async () => {
    const { p1, p3 } = await ofBudget2();
    for (const [first] of [p1, p3]) {
      expect(first?.slice(0, -1)).toEqual(root);
      expect(first?.at(-1)?.role).toBe('user');
    }
    expect(p1[0]?.at(-1)?.content).toBe(
      [
        'About p1, version 1, and no other proposal.',
        'First proposed: made of wool -> made of organic wool',
        'Now proposed: made of wool -> made of organic wool',
        'claims/claim_unproven: The sheet of the maker does not say so. organic',
      ].join('\n'),
    );
  });

  test('goes on with its own turns alone: what was asked, the whole reply as it came, and what is asked now', async () => {
    const { p1, p3 } = await ofBudget2();
    expect(p1[1]).toEqual([...(p1[0] ?? []), { role: 'assistant', content: revising('p1', still) }, p1[1]?.at(-1)]);
    expect(p3[1]).toEqual([...(p3[0] ?? []), { role: 'assistant', content: 'no json' }, p3[1]?.at(-1)]);
    const said = p1.flat().map(({ content }) => content);
    expect(said.filter((content) => content.includes('p3') || content === 'no json')).toEqual([]);
  });

  test('goes on with a mended reply as it came, while what was made of it is judged (A48, A56)', async () => {
    const received = 'Sure: ' + revising('p1', still);
    const model = scriptedModel({ p1: [answered(revising('p1', still), { received }), revising('p1', boast)] });
    const { outcomes } = await oneStage({ proposals: [boast], model, budget: 2 });
    expect(model.calls[1]?.messages.at(-2)).toEqual({ role: 'assistant', content: received });
    expect(outcomes[0]?.candidate.lineage.version).toBe(3);
  });

  test('names the version that is asked about now, beside what was proposed first', async () => {
    const { p1 } = await ofBudget2();
    expect(p1[1]?.at(-1)?.content.split('\n').slice(0, 3)).toEqual([
      'About p1, version 2, and no other proposal.',
      'First proposed: made of wool -> made of organic wool',
      'Now proposed: made of wool -> waterproof',
    ]);
  });

  test('asks nothing about an approved proposal', async () => {
    const { calls } = await ofBudget2();
    expect(calls.map(refOf).toSorted()).toEqual(['p1', 'p1', 'p3', 'p3']);
  });

  test('is sent under the contract of the reply and the profile of repairs', async () => {
    const { calls } = await ofBudget2();
    for (const { schema, profile } of calls) expect([schema, profile]).toEqual([stageOf().reply.schema, 'careful']);
  });

  test('is gone when the stage is done: no outcome holds a message of it (A59, A60)', async () => {
    const { outcomes } = await ofBudget2();
    const kept = JSON.stringify(outcomes);
    for (const { content } of root) expect(kept).not.toContain(JSON.stringify(content).slice(1, -1));
    expect(kept).not.toContain('About p1');
  });
});
