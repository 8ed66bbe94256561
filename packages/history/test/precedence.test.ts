import { type EffectiveRow, selectEffective } from '@emend/history';
import { describe, expect, test } from 'vitest';
import { garbageOn, minute, observed, runStory, unfit } from '../../../test/support/history.js';
import { type Attempt, secondPolicy } from '../../../test/support/randomHistory.js';
import { dossierOf, rowOf } from './folding.js';

const run = runStory();
const second = runStory({ policy: secondPolicy });
const title = (row: EffectiveRow | null): unknown => (row?.output as { title?: string } | null | undefined)?.title ?? null;
const said = (...events: readonly Attempt[]) => {
  const row = rowOf(run.run, ...events);
  return row === null ? null : [row.status, row.authority, title(row)];
};
const on = (authority: string, target: Parameters<typeof run.chain>[1]) => run.chain(authority, target);

interface Case {
  readonly rule: string;
  readonly events: () => readonly Attempt[];
  readonly effective: readonly [string, string | null, string | null] | null;
}

/** From the control of each block, one fact is changed. */
const cases: readonly Case[] = [
  // T111, T109, T117: a run with a valid output.
  { rule: 'T111 an original valid output is effective', events: () => run.answered(), effective: ['original', null, 'original'] },
  {
    rule: 'T109 an active correct on the original output is effective',
    events: () => [...run.answered(), on('anna', run.output).correct(observed('better'))],
    effective: ['corrected', 'correct', 'better'],
  },
  {
    rule: 'T109 T107 of several direct corrections the latest is effective',
    events: () => [
      ...run.answered(),
      on('anna', run.output).correct(observed('late'), { observedAt: minute(20) }),
      on('ben', run.output).correct(observed('early'), { observedAt: minute(10) }),
    ],
    effective: ['corrected', 'correct', 'late'],
  },
  ...(['accept', 'reject'] as const).map(
    (verdict): Case => ({
      rule: `T117 ${verdict} leaves a valid original as it was`,
      events: () => [...run.answered(), on('anna', run.output)[verdict]()],
      effective: ['original', null, 'original'],
    }),
  ),
  {
    rule: 'T117 prefer leaves a valid original as it was',
    events: () => [...run.answered(), on('anna', run.wholeRun).prefer(run.idOf.ended, run.idOf.settlement)],
    effective: ['original', null, 'original'],
  },
  {
    rule: 'T117 a later reject of another authority does not undo a direct correction',
    events: () => [
      ...run.answered(),
      on('anna', run.output).correct(observed('better'), { observedAt: minute(10) }),
      on('ben', run.output).reject({ observedAt: minute(20) }),
    ],
    effective: ['corrected', 'correct', 'better'],
  },
  {
    rule: 'a proposal for a run with a valid output is never effective',
    events: () => [...run.answered(), run.request(), run.claim(), run.proposal(), on('anna', run.proposed).accept()],
    effective: ['original', null, 'original'],
  },
  // T112, T110: a failed run.
  {
    rule: 'T112 a failure without a proposal is unresolved',
    events: () => [...run.declared, run.started(), run.failed()],
    effective: ['unresolved', null, null],
  },
  { rule: 'a proposal that nobody judged is inert', events: () => run.repaired(), effective: ['unresolved', null, null] },
  {
    rule: 'T98 an active accept makes the proposal effective',
    events: () => [...run.repaired(), on('anna', run.proposed).accept()],
    effective: ['repaired', 'accept', 'proposed'],
  },
  {
    rule: 'T99 an active correct makes its replacement effective',
    events: () => [...run.repaired(), on('anna', run.proposed).correct(observed('better'))],
    effective: ['repaired', 'correct', 'better'],
  },
  {
    rule: 'T100 a reject leaves the failure unresolved',
    events: () => [...run.repaired(), on('anna', run.proposed).reject()],
    effective: ['unresolved', null, null],
  },
  {
    rule: 'a reject takes no part in the choice: a later one does not undo an accept of another authority',
    events: () => [
      ...run.repaired(),
      on('anna', run.proposed).accept({ observedAt: minute(10) }),
      on('ben', run.proposed).reject({ observedAt: minute(20) }),
    ],
    effective: ['repaired', 'accept', 'proposed'],
  },
  {
    rule: 'T101 a retracted accept is no longer effective',
    events: () => {
      const anna = on('anna', run.proposed);
      return [...run.repaired(), anna.accept(), anna.retract()];
    },
    effective: ['unresolved', null, null],
  },
  {
    rule: 'T105 a correct that supersedes an accept takes its place',
    events: () => {
      const anna = on('anna', run.proposed);
      return [...run.repaired(), anna.accept(), anna.correct(observed('exact'))];
    },
    effective: ['repaired', 'correct', 'exact'],
  },
  {
    rule: 'retracting a superseding judgment does not revive the superseded one',
    events: () => {
      const anna = on('anna', run.proposed);
      return [...run.repaired(), anna.accept(), anna.correct(observed('exact')), anna.retract()];
    },
    effective: ['unresolved', null, null],
  },
  {
    rule: 'F29 a retracted newer judgment does not hide an active one of another authority',
    events: () => {
      const ben = on('ben', run.proposed);
      return [
        ...run.repaired(),
        on('anna', run.proposed).accept(),
        ben.correct(observed('newer'), { observedAt: minute(50) }),
        ben.retract(),
      ];
    },
    effective: ['repaired', 'accept', 'proposed'],
  },
  {
    rule: 'an authority may judge again after its retraction',
    events: () => {
      const anna = on('anna', run.proposed);
      return [...run.repaired(), anna.accept(), anna.retract(), anna.correct(observed('again'))];
    },
    effective: ['repaired', 'correct', 'again'],
  },
  {
    rule: 'T110 under two policies the latest judgment decides between the proposals',
    events: () => [
      ...run.repaired(observed('one')),
      second.request(),
      second.claim(),
      second.proposal(observed('two')),
      on('anna', run.proposed).accept({ observedAt: minute(20) }),
      on('anna', second.proposed).accept({ observedAt: minute(10) }),
    ],
    effective: ['repaired', 'accept', 'one'],
  },
  // What leaves no row.
  { rule: 'a run that has not ended has no row', events: () => [...run.declared, run.started()], effective: null },
  { rule: 'a failure without a start has no row', events: () => [...run.declared, run.failed()], effective: null },
  { rule: 'a void end has no row', events: () => [...run.declared, run.started(), run.produced(unfit)], effective: null },
  { rule: 'an erased end has no row', events: () => [...run.declared, run.started(), run.erased(run.failed().subject)], effective: null },
  { rule: 'an erased start has no row', events: () => [...run.declared, run.erased(run.started().subject), run.failed()], effective: null },
  // Evidence points backwards.
  {
    rule: 'a judgment stored before its proposal is void for ever',
    events: () => [
      ...run.declared,
      run.started(),
      run.failed(),
      run.request(),
      run.claim(),
      on('anna', run.proposed).accept(),
      run.proposal(),
    ],
    effective: ['unresolved', null, null],
  },
  {
    rule: 'a contract declared after the output leaves it void',
    events: () => [run.source(), run.started(), run.produced(), run.contractDeclared],
    effective: null,
  },
  {
    rule: 'a claim stored after the proposal leaves it void',
    events: () => [
      ...run.declared,
      run.started(),
      run.failed(),
      run.request(),
      run.proposal(),
      run.claim(),
      on('anna', run.proposed).accept(),
    ],
    effective: ['unresolved', null, null],
  },
];

describe('what is effective', () => {
  test.each(cases)('$rule', ({ events, effective }) => {
    expect(said(...events())).toEqual(effective);
  });
});

describe('T107 the latest active judgment is effective', () => {
  const anna = (observedAt: string) => on('anna', run.proposed).correct(observed('of anna'), { observedAt });
  const ben = (observedAt: string) => on('ben', run.proposed).correct(observed('of ben'), { observedAt });

  test.each([
    ['ben observed last', minute(10), minute(11), 'of ben'],
    ['anna observed last', minute(11), minute(10), 'of anna'],
    ['by a millisecond', '2026-01-01T00:10:00.001Z', '2026-01-01T00:10:00.000Z', 'of anna'],
  ])('%s, whichever was stored first', (_what, annaAt, benAt, effective) => {
    expect(said(...run.repaired(), anna(annaAt), ben(benAt))?.[2]).toBe(effective);
    expect(said(...run.repaired(), ben(benAt), anna(annaAt))?.[2]).toBe(effective);
  });

  test('equal times are settled by the larger event id', () => {
    const larger = anna(minute(10)).id > ben(minute(10)).id ? 'of anna' : 'of ben';
    expect(said(...run.repaired(), anna(minute(10)), ben(minute(10)))?.[2]).toBe(larger);
    expect(said(...run.repaired(), ben(minute(10)), anna(minute(10)))?.[2]).toBe(larger);
  });
});

describe('T113 to T115 a direct correction that is corrupt is ignored, and the original stays effective', () => {
  const anna = { authority: 'anna', target: run.output, n: 1 };
  const original = ['original', null, 'original'];
  const replaced = (output: unknown) => ({ verdict: 'correct' as const, replacementOutput: output as never });

  test('a mismatched output pointer', () => {
    const elsewhere = { ...anna, target: runStory({ reference: 'run-2' }).output };
    expect(said(...run.answered(), run.judgment(elsewhere, replaced(observed('better'))))).toEqual(original);
  });

  test('a missing replacement', () => {
    expect(said(...run.answered(), run.judgment(anna, { verdict: 'correct' }))).toEqual(original);
  });

  test('a replacement that the contract refuses', () => {
    expect(said(...run.answered(), run.judgment(anna, replaced(unfit)))).toEqual(original);
  });

  test('an unknown contract: without it not even the original output can stand', () => {
    const { contractDeclared: _, ...rest } = run;
    const events = [rest.source(), rest.started(), rest.produced(), run.judgment(anna, replaced(observed('better')))];
    const dossier = dossierOf(run.run, ...events);
    expect(selectEffective(dossier)).toBeNull();
    expect(dossier.ignored.map(({ code }) => code)).toEqual(['contract_unknown', 'target_unknown']);
  });

  test('its supersession is void with it: the judgment before stays active', () => {
    const chain = on('anna', run.output);
    const good = chain.correct(observed('good'));
    const corrupt = chain.void((link, supersedes) => run.judgment(link, { ...replaced(unfit), supersedes }));
    expect(said(...run.answered(), good, corrupt)).toEqual(['corrected', 'correct', 'good']);
  });

  test('the next judgment takes the next place and names the last valid one', () => {
    const chain = on('anna', run.output);
    const good = chain.correct(observed('good'));
    const corrupt = chain.void((link) => garbageOn(run.judgment(link, { verdict: 'accept' }).subject));
    expect(said(...run.answered(), good, corrupt, chain.correct(observed('better')))).toEqual(['corrected', 'correct', 'better']);
  });
});

describe('the first event stored on a place is the one that counts', () => {
  test('of two judgments for one place', () => {
    const first = run.judgment({ authority: 'anna', target: run.proposed, n: 1 }, { verdict: 'accept' });
    const late = run.judgment({ authority: 'anna', target: run.proposed, n: 1 }, { verdict: 'reject' });
    expect(said(...run.repaired(), first, late)).toEqual(['repaired', 'accept', 'proposed']);
    expect(said(...run.repaired(), late, first)).toEqual(['unresolved', null, null]);
  });

  test('of a proposal and an abandonment', () => {
    const before = run.repaired().slice(0, -1);
    const accept = on('anna', run.proposed).accept();
    expect(said(...before, run.repairFailed(), run.proposal(), accept)).toEqual(['unresolved', null, null]);
    expect(said(...before, run.proposal(), run.repairFailed(), accept)).toEqual(['repaired', 'accept', 'proposed']);
  });
});
