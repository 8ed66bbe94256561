import { effectiveRowText, isContested, selectEffective } from '@emend/history';
import { describe, expect, test } from 'vitest';
import { wholeFold } from './wholeFold.js';
import { minute, observed, runStory, unfit } from '../../../test/support/history.js';
import { codesOf, pointers, recordOf, retractOf } from './commands.js';
import { everything, eventOf, instanceOn, judgmentsIn, serving } from './serving.js';

const story = runStory();
const at = pointers(story);
const repaired = story.repaired();
const answered = story.answered();

/** A judgment of the proposal, said afresh each time. */
const say = (verdict: 'accept' | 'reject', supersedes: string | null = null) =>
  recordOf(story, { target: at.proposal, verdict, supersedes });
const better = (title: string) => ({ verdict: 'correct' as const, replacementOutput: observed(title) as never });

const dossierOf = async (broker: Parameters<typeof everything>[0]) => wholeFold(await everything(broker), story.run);
const rowOf = async (broker: Parameters<typeof everything>[0]) => selectEffective(await dossierOf(broker));

describe('F25: one click, two judgments', () => {
  test('a second identical accept records nothing', async () => {
    const { ask, broker } = await serving(repaired);
    const click = say('accept');
    const [first, again] = [await ask('anna', click), await ask('anna', click)];
    expect([first.kind, again.kind]).toEqual(['recorded', 'already_recorded']);
    expect(eventOf(again)).toBe(eventOf(first));
    expect(await judgmentsIn(broker)).toBe(1);
  });

  test('the same click with other words is a conflict and names the first', async () => {
    const { ask, broker } = await serving(repaired);
    const click = say('accept');
    const first = await ask('anna', click);
    const second = await ask('anna', { ...click, verdict: 'reject' });
    expect(second).toMatchObject({
      kind: 'refused',
      reasons: [{ code: 'action_conflict', names: eventOf(first) }, { code: 'supersedes_required' }],
    });
    expect(await judgmentsIn(broker)).toBe(1);
  });
});

describe('F27: two windows of one person', () => {
  test('one retracts, and the other, which still shows the judgment, is told so and may judge again', async () => {
    const { ask, broker } = await serving(repaired);
    const j1 = eventOf(await ask('anna', say('accept')));
    await ask('anna', retractOf(story, { target: at.proposal, retracts: j1 }));
    expect(await ask('anna', say('reject', j1))).toEqual({ kind: 'refused', reasons: [{ code: 'supersedes_retracted' }] });
    expect(await judgmentsIn(broker)).toBe(2);
    expect(await ask('anna', say('reject'))).toMatchObject({ kind: 'recorded', n: 3 });
  });

  test('one supersedes, and the other is told which one is active now', async () => {
    const { ask } = await serving(repaired);
    const j1 = eventOf(await ask('anna', say('accept')));
    const j2 = eventOf(await ask('anna', say('reject', j1)));
    expect(await ask('anna', say('accept', j1))).toEqual({ kind: 'refused', reasons: [{ code: 'supersedes_superseded', names: j2 }] });
    expect(await ask('anna', retractOf(story, { target: at.proposal, retracts: j1 }))).toEqual({
      kind: 'refused',
      reasons: [{ code: 'retracts_mismatch', names: j2 }],
    });
  });
});

test('F28: a judgment that names the leaf becomes the leaf', async () => {
  const { ask, broker } = await serving(repaired);
  const j1 = eventOf(await ask('anna', say('accept')));
  const j2 = eventOf(await ask('anna', say('reject', j1)));
  expect(codesOf(await ask('anna', say('accept', j1)))).toEqual(['supersedes_superseded']);
  const j3 = eventOf(await ask('anna', say('accept', j2)));
  expect((await rowOf(broker))?.provenance.judgment).toBe(j3);
});

test('F29: retracting what superseded a judgment does not bring it back, and hides nobody else', async () => {
  const { ask, broker } = await serving(repaired);
  const j1 = eventOf(await ask('anna', say('accept')));
  const j2 = eventOf(await ask('anna', say('reject', j1)));
  await ask('anna', retractOf(story, { target: at.proposal, retracts: j2 }));
  expect((await rowOf(broker))?.status).toBe('unresolved');
  const ofBen = eventOf(await ask('ben', say('accept')));
  expect((await rowOf(broker))?.provenance.judgment).toBe(ofBen);
});

describe('F30 and F31: two authorities', () => {
  test.each([
    ['anna', 'ben'],
    ['ben', 'anna'],
  ])('judge side by side, and the later of %s and %s decides, though the clock stands still', async (earlier, later) => {
    const { ask, broker } = await serving(repaired);
    await ask(earlier, recordOf(story, { target: at.proposal, ...better(earlier) }));
    const last = eventOf(await ask(later, recordOf(story, { target: at.proposal, ...better(later) })));
    expect(await rowOf(broker)).toMatchObject({ status: 'repaired', output: observed(later), provenance: { judgment: last } });
  });

  test('who disagree make it contested', async () => {
    const { ask, broker } = await serving(repaired);
    await ask('anna', say('accept'));
    await ask('ben', say('reject'));
    expect(isContested(await dossierOf(broker), story.idOf.settlement)).toBe(true);
  });
});

describe('F33: a clock that runs ahead', () => {
  test("of a reviewer's machine is data, and the later judgment wins", async () => {
    const { ask, broker, clock } = await serving(repaired);
    await ask('anna', recordOf(story, { target: at.proposal, ...better('early'), claimedAt: minute(70) }));
    clock.nowMs += 1_000;
    const last = eventOf(await ask('ben', recordOf(story, { target: at.proposal, ...better('late'), claimedAt: minute(61) })));
    expect((await rowOf(broker))?.provenance.judgment).toBe(last);
  });

  test('of another instance does not win either: what follows is observed after it, across authorities', async () => {
    const { ask, broker, stop, connect } = await serving(repaired, { nowMs: Date.parse(minute(70)) });
    await ask('anna', recordOf(story, { target: at.proposal, ...better('early') }));
    stop();
    await instanceOn({ broker: connect(), nowMs: Date.parse(minute(60)) });
    const last = eventOf(await ask('ben', recordOf(story, { target: at.proposal, ...better('late') })));
    expect((await rowOf(broker))?.provenance.judgment).toBe(last);
  });
});

test('F34: a pointer to another run’s output, or to nothing, is refused and leaves no record', async () => {
  const other = runStory({ reference: 'run-2' });
  const { ask, broker } = await serving([...answered, ...other.answered().slice(3)]);
  for (const target of [pointers(other).output, { kind: 'output' as const, id: 'A'.repeat(22) }]) {
    expect(codesOf(await ask('anna', recordOf(story, { target, ...better('x') })))).toEqual(['target_mismatch']);
  }
  expect(await judgmentsIn(broker)).toBe(0);
});

test('F35: a replacement that breaks the contract is refused with codes and paths, and leaves no record', async () => {
  const { ask, broker } = await serving(repaired);
  const reply = await ask('anna', recordOf(story, { target: at.proposal, verdict: 'correct', replacementOutput: unfit as never }));
  expect(reply).toMatchObject({
    kind: 'refused',
    reasons: [{ code: 'replacement_invalid', issues: expect.arrayContaining([{ code: 'required', path: '/summary' }]) }],
  });
  expect(await judgmentsIn(broker)).toBe(0);
});

test('F35: a replacement that fits a newer contract only is refused', async () => {
  const v2 = { ...story.facts.contract, version: 2, schema: { type: 'object' } };
  const { ask } = await serving([...answered, runStory({ contract: v2 }).contractDeclared]);
  const reply = await ask('anna', recordOf(story, { target: at.output, verdict: 'correct', replacementOutput: unfit as never }));
  expect(codesOf(reply)).toEqual(['replacement_invalid']);
});

test('F36: of all judgments of a valid original only the correct changes what is effective', async () => {
  const { ask, broker } = await serving(answered);
  const before = effectiveRowText((await rowOf(broker))!);
  await ask('anna', recordOf(story, { target: at.output, verdict: 'accept' }));
  const reject = eventOf(await ask('ben', recordOf(story, { target: at.output, verdict: 'reject' })));
  expect(effectiveRowText((await rowOf(broker))!)).toBe(before);
  const correct = await ask('ben', recordOf(story, { target: at.output, ...better('direct'), supersedes: reject }));
  expect(await rowOf(broker)).toMatchObject({
    status: 'corrected',
    output: observed('direct'),
    provenance: { judgment: eventOf(correct) },
  });
  expect((await dossierOf(broker)).ignored).toEqual([]);
});
