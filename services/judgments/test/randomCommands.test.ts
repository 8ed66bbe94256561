import { type JsonValue, verdicts } from '@emend/contracts';
import { activeJudgments, byObservation } from '@emend/history';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { minute, observed, readStored, runStory, storedLog, unfit } from '../../../test/support/history.js';
import { secondPolicy } from '../../../test/support/randomHistory.js';
import { wholeFold } from './wholeFold.js';
import { decide } from '../src/domain/decide.js';
import { foldRun } from '../src/domain/judgedRun.js';
import { commandFrom, pointers } from './commands.js';

const first = runStory();
const second = runStory({ policy: secondPolicy });
const a = pointers(first);
const b = pointers(second);
const repaired = [...first.repaired(), second.request(), second.claim(), second.proposal(observed('second'))];
const answered = [...first.answered()];

const step = fc.record({
  authority: fc.constantFrom('anna', 'ben', 'cleo'),
  operation: fc.constantFrom('record' as const, 'record' as const, 'record' as const, 'retract' as const),
  verdict: fc.constantFrom(...verdicts),
  target: fc.constantFrom(a.proposal, b.proposal, a.output, a.run),
  /** Few, so that acts are repeated. */
  action: fc.constantFrom('one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'),
  names: fc.constantFrom('active', 'active', 'active', 'active', 'nothing', 'any', 'unknown'),
  any: fc.nat(30),
  replacement: fc.constantFrom<JsonValue>(observed('better'), observed('best'), unfit),
  prefer: fc.constantFrom([a.proposal, b.proposal], [b.proposal, a.proposal], [a.output, a.proposal]),
  /** Clocks of several instances, none of them right. */
  minute: fc.integer({ min: 0, max: 5 }),
  quality: fc.boolean(),
  /** The last recorded command of this authority, sent once more. */
  again: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A sensible target and its parts, so that most commands are recorded; the rest is as it came. */
function bodyOf(one: Step, ended: 'repaired' | 'answered', named: string | null) {
  const target = one.verdict === 'prefer' ? a.run : ended === 'answered' ? a.output : one.target;
  const common = { action: one.action, run: first.run, producer: first.facts.producer, target };
  if (one.operation === 'retract') return { ...common, retracts: named ?? first.idOf.source };
  return {
    ...common,
    verdict: one.verdict,
    supersedes: named,
    quality: one.quality,
    ...(one.verdict === 'correct' ? { replacementOutput: one.replacement } : {}),
    ...(one.verdict === 'prefer' ? { prefer: { preferred: one.prefer[0], over: one.prefer[1] } } : {}),
  };
}

/** Read once: the service keeps an event's object too, and with it the compiled contract. */
const before = { repaired: storedLog(...repaired).read, answered: storedLog(...answered).read };

function play(ended: 'repaired' | 'answered', steps: readonly Step[]) {
  const log = [...before[ended]];
  const times: string[] = [];
  const kinds: string[] = [];
  const last = new Map<string, ReturnType<typeof commandFrom>>();
  for (const one of steps) {
    const run = foldRun(first.run, log);
    const own = activeJudgments(run.dossier).filter(({ authority }) => authority === one.authority);
    const target = bodyOf(one, ended, null).target;
    const active = own.find((judgment) => judgment.target.id === ('id' in target ? target.id : first.run))?.eventId ?? null;
    const any = run.judgments[one.any % Math.max(1, run.judgments.length)]?.eventId ?? null;
    const named = { active, nothing: null, any, unknown: first.idOf.source }[one.names];
    const fresh = commandFrom(one.authority, one.operation, bodyOf(one, ended, named));
    const command = one.again ? (last.get(one.authority) ?? fresh) : fresh;
    const decision = decide(run, command, Date.parse(minute(one.minute)));
    kinds.push(decision.kind);
    if (decision.kind !== 'record') continue;
    last.set(one.authority, command);
    expect(log.map(({ subject }) => subject)).not.toContain(decision.event.subject);
    log.push(readStored({ ...decision.event, sequence: log.length + 1 }));
    times.push(foldRun(first.run, log).newestObservedAt ?? '');
  }
  return { log, times, kinds };
}

const plays = fc.tuple(fc.constantFrom('repaired' as const, 'answered' as const), fc.array(step, { maxLength: 25 }));

test('whatever three authorities ask, history finds no fault in what was recorded', () => {
  fc.assert(
    fc.property(plays, ([ended, steps]) => {
      const { log, times } = play(ended, steps);
      const dossier = wholeFold(log, first.run);
      expect(dossier.ignored).toEqual([]);
      expect(Object.values(dossier.chains).flatMap(({ links }) => links.map(({ fault }) => fault))).toEqual(times.map(() => null));
    }),
    { numRuns: 300 },
  );
});

test('whatever the clocks say, what follows an answer is observed later than it', () => {
  fc.assert(
    fc.property(plays, ([ended, steps]) => {
      const { log, times } = play(ended, steps);
      expect(times).toEqual([...new Set(times)].sort());
      const active = activeJudgments(wholeFold(log, first.run));
      expect(active).toEqual(active.toSorted(byObservation));
    }),
    { numRuns: 100 },
  );
});

test('the property reaches recorded, repeated and refused commands', () => {
  const kinds = fc.sample(plays, { numRuns: 60, seed: 1 }).flatMap(([ended, steps]) => play(ended, steps).kinds);
  const share = (kind: string) => kinds.filter((one) => one === kind).length / kinds.length;
  expect(share('record')).toBeGreaterThan(0.2);
  expect(share('refused')).toBeGreaterThan(0.2);
  expect(share('already_recorded')).toBeGreaterThan(0);
});
