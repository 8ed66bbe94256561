import { type EventOf, outputBytesMax, privacyLevels, readEvent, sourceClasses } from '@emend/contracts';
import { describe, expect, test } from 'vitest';
import { minute, observed, runStory, tampered } from '../../../test/support/history.js';
import { secondPolicy } from '../../../test/support/randomHistory.js';
import { observedAt } from '../src/domain/decide.js';
import { arrivalMs, codesOf, decided, pointers, preferOf, recordOf, retractOf, runFrom } from './commands.js';

const story = runStory();
const at = pointers(story);
const accept = recordOf(story, { target: at.proposal, verdict: 'accept' });

type Judgment = EventOf<'judgmentRecorded'> | EventOf<'judgmentRetracted'>;

function recorded(decision: ReturnType<typeof decided>): Judgment {
  if (decision.kind !== 'record') throw new Error(codesOf(decision).join(' '));
  const read = readEvent(decision.event);
  if (read.kind !== 'event') throw new Error(read.kind);
  return read.event as Judgment;
}

describe('a recorded judgment', () => {
  test('says what was asked, where it stands, who asked, and when it was observed', () => {
    const claimedAt = minute(1);
    const event = recorded(
      decided(story, [...story.repaired()], { ...accept, claimedAt, quality: true, externalExport: true }, { authority: 'cleo' }),
    );
    expect(event).toMatchObject({
      name: 'judgmentRecorded',
      source: 'judgments',
      time: minute(60),
      rootId: story.idOf.source,
      causationId: story.idOf.settlement,
      data: { run: story.run, n: 1, authority: 'cleo', target: story.proposed, action: accept.action, observedAt: minute(60), claimedAt },
    });
    expect(event.data).toMatchObject({ verdict: 'accept', supersedes: null, quality: true, externalExport: true });
  });

  test('says nothing of quality and export that was not asked', () => {
    expect(recorded(decided(story, [...story.repaired()], accept)).data).toMatchObject({ quality: false, externalExport: false });
  });

  test('takes the place after the last one of its chain, void ones too', () => {
    const chain = story.chain('anna', story.proposed);
    const j1 = chain.accept();
    const broken = chain.void((link) => tampered(story.judgment(link, { verdict: 'accept' }), { data: { verdict: 'adore' } }));
    const leap = story.judgment({ authority: 'anna', target: story.proposed, n: 3 }, { verdict: 'accept' });
    const events = [...story.repaired(), j1, leap, broken];
    expect(recorded(decided(story, events, { ...accept, supersedes: j1.id })).data.n).toBe(4);
  });

  test('takes the first place that is free before one that leapt ahead', () => {
    const j1 = story.chain('anna', story.proposed).accept();
    const leap = story.judgment({ authority: 'anna', target: story.proposed, n: 3 }, { verdict: 'accept' });
    expect(recorded(decided(story, [...story.repaired(), j1, leap], { ...accept, supersedes: j1.id })).data.n).toBe(2);
  });

  test('of a run is caused by its end', () => {
    const second = runStory({ policy: secondPolicy });
    const events = [...story.repaired(), second.request(), second.claim(), second.proposal(observed('second'))];
    const event = recorded(decided(story, events, preferOf(story, pointers(second).proposal, at.proposal)));
    expect(event).toMatchObject({ causationId: story.idOf.ended, data: { target: story.wholeRun } });
    expect(event.data).toMatchObject({ prefer: { preferred: second.idOf.settlement, over: story.idOf.settlement } });
  });

  test('of a retraction names what it takes back', () => {
    const j1 = story.chain('anna', story.proposed).accept();
    const event = recorded(decided(story, [...story.repaired(), j1], retractOf(story, { target: at.proposal, retracts: j1.id })));
    expect(event).toMatchObject({ name: 'judgmentRetracted', data: { retracts: j1.id, n: 2 } });
  });

  test.each(privacyLevels.flatMap((own) => privacyLevels.map((target) => [own, target] as const)))(
    'is the closer of its own privacy and the target’s: %s, %s',
    (own, target) => {
      const closer = privacyLevels[Math.max(privacyLevels.indexOf(own), privacyLevels.indexOf(target))];
      const events = [...story.repaired().slice(0, -1), story.proposal(observed('proposed'), { privacy: target })];
      expect(recorded(decided(story, events, { ...accept, privacy: own })).privacy).toBe(closer);
    },
  );

  test.each(sourceClasses.flatMap((own) => sourceClasses.map((target) => [own, target] as const)))(
    'is of a public source only where it says so and the target is: %s, %s',
    (own, target) => {
      const events = [...story.repaired().slice(0, -1), story.proposal(observed('proposed'), { sourceClass: target })];
      const both = own === 'public-source' && target === 'public-source';
      expect(recorded(decided(story, events, { ...accept, sourceClass: own })).sourceClass).toBe(
        both ? 'public-source' : 'restricted-source',
      );
    },
  );

  test('without a word is private and of a restricted source', () => {
    expect(recorded(decided(story, [...story.repaired()], accept))).toMatchObject({ privacy: 'private', sourceClass: 'restricted-source' });
  });
});

describe('the time of observation', () => {
  const judgedAt = (n: number) => story.chain('ben', story.proposed).accept({ observedAt: minute(n) });

  test.each([
    ['the clock, where nothing was judged', [], minute(60)],
    ['the clock, where it is later', [judgedAt(59)], minute(60)],
    ['a millisecond after an equal one', [judgedAt(60)], minute(60).replace('00.000', '00.001')],
    ["a millisecond after another authority's from a clock that runs ahead (F33)", [judgedAt(70)], minute(70).replace('00.000', '00.001')],
  ])('is %s', (_title, judgments, time) => {
    expect(observedAt(runFrom(story, [...story.repaired(), ...judgments]), arrivalMs)).toBe(time);
  });

  test('does not follow a void judgment', () => {
    const forged = story.judgment(
      { authority: 'ben', target: story.proposed, n: 1 },
      { verdict: 'accept', supersedes: story.idOf.source },
      { observedAt: '9999-12-31T23:59:59.999Z' },
    );
    expect(observedAt(runFrom(story, [...story.repaired(), forged]), arrivalMs)).toBe(minute(60));
  });

  test('never follows what the client claims', () => {
    const event = recorded(decided(story, [...story.repaired()], { ...accept, claimedAt: minute(600) }));
    expect([event.time, event.data.observedAt]).toEqual([minute(60), minute(60)]);
  });

  test('past what a date can say is refused, not written', () => {
    const last = judgedAt(0);
    const events = [...story.repaired(), tampered(last, { data: { observedAt: '9999-12-31T23:59:59.999Z' } })];
    expect(codesOf(decided(story, events, accept))).toEqual(['event_invalid']);
  });
});

describe('the same action id', () => {
  const body = { ...accept, action: 'one-click' };
  const chain = story.chain('anna', story.proposed);
  const j1 = chain.accept({ action: 'one-click', quality: false, externalExport: false });
  const j2 = chain.reject();
  const j3 = chain.retract();

  test.each([
    ['is active', [j1]],
    ['was superseded', [j1, j2]],
    ['was superseded, and all is retracted', [j1, j2, j3]],
  ])('gives the first result where the first %s', (_title, judgments) => {
    expect(decided(story, [...story.repaired(), ...judgments], body)).toEqual({ kind: 'already_recorded', event: j1.id, n: 1 });
  });

  test('says another act where anything that was said differs', () => {
    for (const other of [{ verdict: 'reject' as const }, { quality: true }, { claimedAt: minute(3) }, { supersedes: j1.id }]) {
      expect(codesOf(decided(story, [...story.repaired(), j1], { ...body, ...other }))).toContain('action_conflict');
    }
  });

  test('is another act on another target, and of another authority', () => {
    const onOutput = decided(story, [...story.answered(), j1], { ...body, target: at.output });
    const ofBen = decided(story, [...story.repaired(), j1], body, { authority: 'ben' });
    expect([onOutput.kind, ofBen.kind]).toEqual(['record', 'record']);
  });

  test('of a void judgment is free again', () => {
    const broken = tampered(j1, { data: { verdict: 'adore' } });
    expect(decided(story, [...story.repaired(), broken], body)).toMatchObject({ kind: 'record', n: 2 });
  });
});

test('the largest replacement of a contract fits into an event', () => {
  const wide = { id: 'example.wide', version: 1, schema: { type: 'string' }, promptDescription: 'Any text.' };
  const of = runStory({ contract: wide, reference: 'wide' });
  const say = (characters: number) =>
    recordOf(of, { target: pointers(of).proposal, verdict: 'correct', replacementOutput: 'x'.repeat(characters) });
  const most = outputBytesMax - 2;
  expect(codesOf(decided(of, [...of.repaired('short')], { ...say(most), action: 'a'.repeat(128) }))).toEqual(['record']);
  expect(codesOf(decided(of, [...of.repaired('short')], say(most + 1)))).toEqual(['replacement_too_large']);
});
