import { expect, describe, test } from 'vitest';
import { oneStage } from './oneStage.js';
import { answered, failed, revising, scriptedModel, unsaid, withdrawing } from './scriptedModel.js';
import { claims, edit, effect, exchange, judge, page, target } from './shop.js';

const typo = edit('familiy', 'family');
const boast = edit('made of wool', 'made of organic wool');
const modest = edit('made of wool', 'made of fine wool');

describe('one approved and one rejected proposal of one reply (A92)', () => {
  test('only the rejected one is asked about, and both are applied in their order', async () => {
    const model = scriptedModel({ p2: [revising('p2', modest)] });
    const { texts, dispositions, report } = await oneStage({ proposals: [typo, boast], model });
    expect(model.calls).toHaveLength(1);
    expect(dispositions).toEqual(['approved_applied', 'approved_applied']);
    expect(texts['description']).toBe('A light jacket for the whole family, made of fine wool. It is very very warm.');
    expect(report.map(({ proposal }) => proposal)).toEqual(['p2']);
  });
});

describe('several proposals for one text (A93)', () => {
  test('equal proposals stay two, and the second finds its place taken', async () => {
    expect((await oneStage({ proposals: [typo, typo] })).dispositions).toEqual(['approved_applied', 'approved_not_applied(conflict)']);
  });

  test('a withdrawn one changes nothing, and the others still change the text', async () => {
    const model = scriptedModel({ p1: [withdrawing('p1')] });
    const { texts, dispositions } = await oneStage({ proposals: [boast, typo, edit('very very', 'very')], model });
    expect(dispositions).toEqual(['withdrawn', 'approved_applied', 'approved_applied']);
    expect(texts['description']).toBe('A light jacket for the whole family, made of wool. It is very warm.');
  });

  test('a revision that overlaps an approved edit goes by the order of the proposals, not by who was approved first', async () => {
    const model = scriptedModel({ p1: [revising('p1', edit('familiy, made of wool', 'family, in wool'))] });
    const { texts, dispositions } = await oneStage({ proposals: [edit('familiy, made of wool', 'family, in organic wool'), typo], model });
    expect(dispositions).toEqual(['approved_applied', 'approved_not_applied(conflict)']);
    expect(texts['description']).toContain('whole family, in wool.');
  });

  test('what the document refuses is not asked about again', async () => {
    const model = scriptedModel({});
    const { dispositions } = await oneStage({ proposals: [typo, edit('Rain', 'Wind', 'title')], model, protectedTerms: ['Rain'] });
    expect(dispositions).toEqual(['approved_applied', 'approved_not_applied(protected)']);
    expect(model.calls).toEqual([]);
  });
});

describe('the ways a branch can go (A96)', () => {
  test('success: the revision passes and is applied under the lineage of its proposal', async () => {
    const { outcomes } = await oneStage({ proposals: [boast], model: scriptedModel({ p1: [revising('p1', modest)] }) });
    expect(outcomes[0]).toMatchObject({
      candidate: { lineage: { root: 'p1', version: 2 }, proposal: modest },
      disposition: 'approved_applied',
    });
  });

  test('explicit withdrawal: the text stays, and that is an outcome and no failure', async () => {
    const { kind, texts, dispositions } = await oneStage({ proposals: [boast], model: scriptedModel({ p1: [withdrawing('p1')] }) });
    expect([kind, texts, dispositions]).toEqual(['completed', page, ['withdrawn']]);
  });

  test('exhaustion: after one attempt by default a revision that fails too ends the branch', async () => {
    const model = scriptedModel({ p1: [revising('p1', edit('made of wool', 'waterproof'))] });
    const { dispositions, outcomes, texts } = await oneStage({ proposals: [boast], model });
    expect([dispositions, texts, model.calls.length]).toEqual([['exhausted'], page, 1]);
    expect(outcomes[0]?.findings.map(({ evidence }) => evidence)).toEqual([['waterproof']]);
  });

  test('more attempts when configured: a revision that fails validation goes on', async () => {
    const model = scriptedModel({
      p1: [revising('p1', edit('made of wool', 'waterproof')), revising('p1', boast), revising('p1', modest)],
    });
    const { dispositions, outcomes } = await oneStage({ proposals: [boast], model, budget: 3 });
    expect([dispositions, model.calls.length]).toEqual([['approved_applied'], 3]);
    expect(outcomes[0]?.candidate.lineage.version).toBe(4);
  });

  test('budget 0: no call is made, and a check sees only what the checks before it let through', async () => {
    const model = scriptedModel({});
    const meaning = judge(() => ({ kind: 'approved' }));
    const { dispositions } = await oneStage({ proposals: [typo, boast], chain: [meaning, target, claims], model, budget: 0 });
    expect(dispositions).toEqual(['approved_applied', 'exhausted']);
    expect([model.calls, meaning.seen]).toEqual([[], [typo]]);
  });

  test('with repair on the same check sees both, and its finding stands beside the other', async () => {
    const meaning = judge((proposal) =>
      proposal === boast
        ? { kind: 'findings', findings: [{ code: 'meaning_changed', explanation: 'Wool became organic.' }] }
        : { kind: 'approved' },
    );
    const model = scriptedModel({ p2: [withdrawing('p2')] });
    const { outcomes } = await oneStage({ proposals: [typo, boast], chain: [meaning, target, claims], model });
    expect(meaning.seen).toEqual([typo, boast]);
    expect(outcomes[1]?.findings.map(({ validator }) => validator)).toEqual(['claims', 'meaning']);
  });
});

test('a finding bears the name of the check that made it, whatever the check says (A3)', async () => {
  const spoken = { code: 'wrong', explanation: 'It is wrong.', validator: 'target' };
  const meaning = judge(() => ({ kind: 'findings', findings: [spoken] }));
  const { outcomes } = await oneStage({ proposals: [typo], chain: [target, meaning], budget: 0 });
  expect(outcomes[0]?.findings).toEqual([{ ...spoken, validator: 'meaning' }]);
});

describe('an empty replacement (A97)', () => {
  const deletion = edit(' very very', '');

  test('deletes its span, as a proposal and as a revision', async () => {
    expect((await oneStage({ proposals: [deletion] })).texts['description']).toContain('It is warm.');
    const model = scriptedModel({ p1: [revising('p1', deletion)] });
    const revised = await oneStage({ proposals: [edit('very very', 'the warmest')], model });
    expect([revised.dispositions, revised.texts['description']?.slice(-11)]).toEqual([['approved_applied'], 'It is warm.']);
  });

  test('goes through the chain like any other, and a withdrawal does not', async () => {
    const meaning = judge(() => ({ kind: 'approved' }));
    await oneStage({
      proposals: [boast],
      chain: [claims, meaning],
      model: scriptedModel({ p1: [revising('p1', edit(', made of wool', ''))] }),
    });
    expect(meaning.seen.map(({ replacement }) => replacement)).toEqual([boast.replacement, '']);
    const other = judge(() => ({ kind: 'approved' }));
    await oneStage({ proposals: [boast], chain: [claims, other], model: scriptedModel({ p1: [withdrawing('p1')] }) });
    expect(other.seen).toHaveLength(1);
  });
});

describe('checks that say nothing (A98, A99)', () => {
  const down = judge(() => ({ kind: 'unavailable', code: 'provider_outage' }));

  test('an inapplicable check is no finding: the one about the span does not run where there is none', async () => {
    const meaning = judge(() => ({ kind: 'findings', findings: [{ code: 'meaning_changed', explanation: 'It reads otherwise.' }] }));
    const model = scriptedModel({ p1: [withdrawing('p1')] });
    const { outcomes } = await oneStage({ proposals: [edit('not there', 'organic')], chain: [target, claims, meaning], model });
    expect(meaning.seen).toEqual([]);
    expect(outcomes[0]?.findings.map(({ code }) => code)).toEqual(['span_not_found']);
  });

  test('a missing assessment alone: unavailable with its code, nothing held against it, no call', async () => {
    const model = scriptedModel({});
    const { outcomes, texts } = await oneStage({ proposals: [typo], chain: [target, down], model });
    expect(outcomes[0]).toMatchObject({ disposition: 'unavailable', code: 'provider_outage', findings: [] });
    expect([texts, model.calls]).toEqual([page, []]);
  });

  test('a known rejection beside a missing assessment is repaired, and the missing one is named to the model', async () => {
    let asked = 0;
    const meaning = judge(() => (++asked === 1 ? { kind: 'unavailable', code: 'provider_outage' } : { kind: 'approved' }));
    const model = scriptedModel({ p1: [revising('p1', modest)] });
    const { dispositions } = await oneStage({ proposals: [boast], chain: [target, claims, meaning], model });
    expect(dispositions).toEqual(['approved_applied']);
    const sent = model.calls[0]?.messages.at(-1)?.content ?? '';
    expect(sent).toContain('claims/claim_unproven');
    expect(sent).toContain('Not assessed: meaning');
  });

  test('its revision still needs the whole chain: with the check still down it is not applied', async () => {
    const model = scriptedModel({ p1: [revising('p1', modest)] });
    const { dispositions, texts } = await oneStage({ proposals: [boast], chain: [target, claims, down], model, budget: 5 });
    expect([dispositions, texts, model.calls.length]).toEqual([['unavailable(provider_outage)'], page, 1]);
  });

  test('a proposal without effect ends without repair, as the first version and as a revision', async () => {
    const model = scriptedModel({ p2: [revising('p2', edit('wool', 'wool'))] });
    const { dispositions } = await oneStage({ proposals: [edit('wool', 'wool'), boast], model, budget: 5 });
    expect([dispositions, model.calls.length]).toEqual([['no_effect', 'no_effect'], 1]);
  });

  test('what no check could judge is not approved', async () => {
    const { dispositions, texts } = await oneStage({ proposals: [edit('not there', 'x')], chain: [claims] });
    expect([dispositions, texts]).toEqual([['unavailable(unjudged)'], page]);
  });
});

test('a revised candidate passes again through the checks that approved its earlier version (A100)', async () => {
  const meaning = judge(({ replacement }) =>
    replacement.includes('fine')
      ? { kind: 'findings', findings: [{ code: 'claim_added', explanation: 'Who says fine?' }] }
      : { kind: 'approved' },
  );
  const model = scriptedModel({ p1: [revising('p1', modest)] });
  const { outcomes } = await oneStage({ proposals: [boast], chain: [target, claims, meaning], model });
  expect(meaning.seen).toEqual([boast, modest]);
  expect(outcomes[0]).toMatchObject({ disposition: 'exhausted', findings: [{ validator: 'meaning', code: 'claim_added' }] });
});

describe('a reply that is no answer to the question (A101, A102)', () => {
  const whole = revising('p1', modest);
  test.each([
    ['reply_names_another_proposal', revising('p2', modest)],
    ['reply_names_another_proposal', withdrawing('p2')],
    ['reply_breaks_contract', JSON.stringify({ edits: [modest, typo] })],
    ['reply_breaks_contract', JSON.stringify({ proposal_ref: 'p1', action: 'approve' })],
    ['reply_breaks_contract', JSON.stringify({ proposal_ref: 'p1', action: 'revise' })],
    ['reply_breaks_contract', JSON.stringify({ proposal_ref: 'p1', action: 'withdraw', correction: modest })],
    ['reply_breaks_contract', JSON.stringify({ proposal_ref: 'p1', action: 'revise', correction: modest, more: [typo] })],
    ['reply_not_json', `\`\`\`json\n${whole}\n\`\`\``],
    ['reply_not_json', `Here it is: ${whole}`],
    ['reply_not_json', whole.slice(0, -1)],
    ['reply_not_json', `${whole}\n${whole}`],
    ['reply_not_json', ''],
  ])('%s: it spends the attempt and changes nothing: %s', async (code, text) => {
    const meaning = judge(() => ({ kind: 'approved' }));
    const { texts, dispositions, report } = await oneStage({
      proposals: [boast],
      chain: [target, claims, meaning],
      model: scriptedModel({ p1: [text] }),
    });
    expect([texts, dispositions, report[0]?.attempts]).toEqual([page, [`unusable(${code})`], 1]);
    expect(meaning.seen).toEqual([boast]);
  });

  test('an attempt that is left asks about the same version again, and says what was wrong', async () => {
    const model = scriptedModel({ p1: ['not json', revising('p1', modest)] });
    const { dispositions, outcomes } = await oneStage({ proposals: [boast], model, budget: 2 });
    expect(dispositions).toEqual(['approved_applied']);
    expect(outcomes[0]?.candidate.lineage.version).toBe(2);
    const sent = model.calls[1]?.messages.at(-1)?.content ?? '';
    expect(sent).toContain('About p1, version 1');
    expect(sent).toContain('claims/claim_unproven');
    expect(sent).toContain('Your previous reply: reply_not_json');
  });

  test('once a reply could be used, nothing is said of the one before it', async () => {
    const model = scriptedModel({ p1: ['not json', revising('p1', edit('made of wool', 'waterproof')), revising('p1', modest)] });
    await oneStage({ proposals: [boast], model, budget: 3 });
    const sent = model.calls.map(({ messages }) => messages.at(-1)?.content.includes('Your previous reply'));
    expect(sent).toEqual([false, true, false]);
  });

  test('a withdrawal with a null correction is a withdrawal', async () => {
    const model = scriptedModel({ p1: [JSON.stringify({ proposal_ref: 'p1', action: 'withdraw', correction: null })] });
    expect((await oneStage({ proposals: [boast], model })).dispositions).toEqual(['withdrawn']);
  });
});

test('a revision may correct its span and its target, keeps its lineage and is checked like any other (A103)', async () => {
  const meaning = judge(() => ({ kind: 'approved' }));
  const chain = [target, effect, claims, meaning];
  const wrong = edit('Rain jaket', 'Rain coat');
  const right = edit('Rain jacket', 'Rain coat', 'title');
  const { outcomes, texts } = await oneStage({ proposals: [wrong], chain, model: scriptedModel({ p1: [revising('p1', right)] }) });
  expect([outcomes[0]?.candidate.lineage, meaning.seen, texts['title']]).toEqual([{ root: 'p1', version: 2 }, [right], 'Rain coat']);

  const elsewhere = scriptedModel({ p1: [revising('p1', edit('Rain jacket', 'Rain coat', 'another page'))] });
  const { outcomes: refused } = await oneStage({ proposals: [wrong], chain, model: elsewhere });
  expect(refused[0]).toMatchObject({ disposition: 'exhausted', findings: [{ code: 'target_unknown' }] });
});

test('a call that its provider refuses costs that proposal alone, too large a context included (A104)', async () => {
  const model = scriptedModel({
    p1: [failed('context_exceeded', { transportRetries: 2 })],
    p3: [revising('p3', edit('wool', 'fine wool'))],
  });
  const proposals = [boast, typo, edit('wool', 'waterproof')];
  const { dispositions, texts, report } = await oneStage({ proposals, model, budget: 4 });
  expect(dispositions).toEqual(['unavailable(context_exceeded)', 'approved_applied', 'approved_applied']);
  expect(texts['description']).toContain('family, made of fine wool');
  expect(report[0]).toMatchObject({ attempts: 1, transportRetries: 2 });
  expect(model.calls).toHaveLength(2);
});

test('structural repair that gives up below costs that proposal alone, and what it did is counted (A105)', async () => {
  const model = scriptedModel({ p1: [failed('invalid_json', { structuralRepairs: 1 })] });
  const { dispositions, report, texts } = await oneStage({ proposals: [boast, typo], model, budget: 2 });
  expect(dispositions).toEqual(['unavailable(invalid_json)', 'approved_applied']);
  expect(report[0]).toMatchObject({ attempts: 1, structuralRepairs: 1, transportRetries: 0 });
  expect(texts['description']).toContain('family');
});

test('three counters that are never merged, and a ledger with one entry for each call (A106)', async () => {
  const usage = { promptTokens: 300, completionTokens: 20 };
  const model = scriptedModel({
    p1: [answered('?', { transportRetries: 2, structuralRepairs: 1 }), answered(revising('p1', modest), { transportRetries: 1, usage })],
    p2: [answered(withdrawing('p2'), { usage: unsaid })],
  });
  const { report } = await oneStage({ proposals: [boast, edit('wool', 'organic wool')], model, budget: 2 });
  expect(report).toEqual([
    {
      proposal: 'p1',
      applied: true,
      disposition: 'approved_applied',
      code: null,
      attempts: 2,
      structuralRepairs: 1,
      transportRetries: 3,
      usage: [{ promptTokens: 100, completionTokens: 10 }, usage],
    },
    {
      proposal: 'p2',
      applied: false,
      disposition: 'withdrawn',
      code: null,
      attempts: 1,
      structuralRepairs: 0,
      transportRetries: 0,
      usage: [unsaid],
    },
  ]);
});

test('the report has one compact entry for each branch, and none of their texts (A109)', async () => {
  const model = scriptedModel({ p2: [withdrawing('p2')], p3: [revising('p3', edit('Rain', 'Hail', 'title'))] });
  const { report } = await oneStage({ proposals: [typo, boast, edit('Rain', 'waterproof', 'title')], model, protectedTerms: ['Rain'] });
  expect(report.map(({ proposal, disposition, code, applied }) => [proposal, disposition, code, applied])).toEqual([
    ['p2', 'withdrawn', null, false],
    ['p3', 'approved_not_applied', 'protected', false],
  ]);
  for (const text of ['wool', 'Rain', 'Hail', 'sheet', exchange.reply]) expect(JSON.stringify(report)).not.toContain(text);
});
