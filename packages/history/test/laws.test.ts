import { canonicalText } from '@emend/contracts';
import {
  activeJudgments,
  type Dossier,
  effectiveRowText,
  emptyDossier,
  evolveDossier,
  FactsSoFar,
  reviewRowOf,
  reviewRowText,
  selectEffective,
} from '@emend/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ReadStored, runStory, StoredLog } from '../../../test/support/history.js';
import { interleaved, type RandomHistory, randomHistory } from '../../../test/support/randomHistory.js';
import { fold } from './folding.js';

const runs = { numRuns: 60 };
const stored = (dossier: Dossier): string => JSON.stringify(dossier);
const throughJson = (dossier: Dossier): Dossier => JSON.parse(JSON.stringify(dossier)) as Dossier;

/** What views show of a run, as they store it. */
function shown(dossier: Dossier): readonly (string | null)[] {
  const [row, review] = [selectEffective(dossier), reviewRowOf(dossier)];
  return [row && effectiveRowText(row), review && reviewRowText(review)];
}

const each = (history: RandomHistory, check: (events: readonly ReadStored[], run: string) => void): void => {
  const events = history.log.read;
  for (const { run } of history.runs) check(events, run);
};

const holds = (check: (events: readonly ReadStored[], run: string, seed: number) => void) =>
  fc.assert(
    fc.property(randomHistory(), fc.nat(), (history, seed) => each(history, (events, run) => check(events, run, seed))),
    runs,
  );

describe('for every history', () => {
  test('a fold never throws, and what it shows is canonical', () => {
    holds((events, run) => {
      for (const text of shown(fold(events, run))) expect(text && canonicalText(JSON.parse(text))).toBe(text);
    });
  });

  test('a dossier that was stored as JSON between any two events is the same dossier', () => {
    holds((events, run) => expect(stored(fold(events, run, throughJson))).toBe(stored(fold(events, run))));
  });

  test('what was folded before changes nothing when it comes again', () => {
    holds((events, run, seed) => {
      const from = seed % (events.length + 1);
      const again = [...events.slice(0, from), ...events.slice(0, from), ...events.slice(Math.max(0, from - 3))];
      expect(stored(fold(again, run))).toBe(stored(fold(events, run)));
    });
  });

  test('the events of other runs change nothing', () => {
    holds((events, run) => {
      const own = events.filter(({ subject }) => subject.includes(run) || subject.includes('.source.') || subject.includes('.declared.'));
      expect(stored(fold(own, run))).toBe(stored(fold(events, run)));
    });
  });

  test('the order of unrelated runs does not matter', () => {
    fc.assert(
      fc.property(randomHistory(), fc.array(fc.nat(5), { maxLength: 80 }), ({ runs: stories, declared }, turns) => {
        const logs = [[], turns].map((order) => {
          const log = new StoredLog();
          log.append(...declared, ...interleaved(stories, order));
          return log.read;
        });
        for (const { run } of stories) {
          const [one, other] = logs.map((events) => shown(fold(events, run)));
          expect(one).toEqual(other);
        }
      }),
      runs,
    );
  });

  test('the first event stored on a place is the one that counts: later attempts change nothing', () => {
    fc.assert(
      fc.property(randomHistory(), ({ log, attempts, runs: stories }) => {
        const twice = new StoredLog();
        twice.append(...attempts.flatMap((attempt) => [attempt, attempt]), ...attempts.toReversed());
        expect(twice.events).toEqual(log.events);
        expect(new Set(log.events.map(({ subject }) => subject)).size).toBe(log.events.length);
        for (const { run } of stories) expect(fold(twice.read, run)).toEqual(fold(log.read, run));
      }),
      { numRuns: 30 },
    );
  });

  test('the order in which independent chains were stored does not matter', () => {
    holds((events, run) => {
      const judgments = events.filter(({ subject }) => subject.includes('.judgment.'));
      const rest = events.filter(({ subject }) => !subject.includes('.judgment.'));
      const byChain = judgments.toSorted((a, b) =>
        chainOf(a) === chainOf(b) ? a.sequence - b.sequence : chainOf(a) < chainOf(b) ? -1 : 1,
      );
      const renumbered = (list: readonly ReadStored[]) => list.map((event, at) => ({ ...event, sequence: at + 1 }));
      expect(shown(fold(renumbered([...rest, ...byChain]), run))).toEqual(shown(fold(renumbered([...rest, ...judgments]), run)));
    });
  });

  test('T101 an authority holds at most one active judgment on one target', () => {
    holds((events, run) => {
      const active = activeJudgments(fold(events, run)).map(({ authority, target }) => `${authority} ${target.id}`);
      expect(new Set(active).size).toBe(active.length);
    });
  });

  test('T98 to T100 only an active accept or correct makes a failed run effective, and a valid original yields to a correct alone', () => {
    holds((events, run) => {
      const dossier = fold(events, run);
      const row = selectEffective(dossier);
      if (row === null) return;
      const judged = activeJudgments(dossier).find(({ eventId }) => eventId === row.provenance.judgment);
      if (row.status === 'repaired') expect([dossier.ended?.kind, judged?.verdict]).toEqual(['failed', row.authority]);
      if (row.status === 'corrected') expect([dossier.ended?.kind, judged?.verdict]).toEqual(['produced', 'correct']);
      if (row.status === 'original') expect(dossier.ended?.kind).toBe('produced');
      if (row.status === 'unresolved') expect([dossier.ended?.kind, row.output, judged]).toEqual(['failed', null, undefined]);
    });
  });

  test('T121 a rebuild with what was superseded and retracted equals uninterrupted processing', () => {
    holds((events, run) => {
      const live: (readonly (string | null)[])[] = [];
      const last = fold(events, run, (dossier) => {
        live.push(shown(dossier));
        return dossier;
      });
      expect(live.at(-1) ?? shown(emptyDossier(run))).toEqual(shown(last));
      expect(shown(fold(events, run))).toEqual(shown(last));
    });
  });
});

test('folding with the facts in memory that the package offers gives the same', () => {
  const run = runStory();
  const log = new StoredLog();
  log.append(...run.repaired(), run.chain('anna', run.proposed).accept());
  const facts = new FactsSoFar();
  let dossier = emptyDossier(run.run);
  for (const event of log.read) {
    dossier = evolveDossier(dossier, event, facts);
    if (event.read.kind === 'event') facts.learn(event.read.event);
  }
  expect(dossier).toEqual(fold(log.read, run.run));
  expect(selectEffective(dossier)?.status).toBe('repaired');
});

test('random histories reach every status and every state of review', () => {
  const seen = new Set<string>();
  for (const history of fc.sample(randomHistory(), { numRuns: 200, seed: 7 })) {
    each(history, (events, run) => {
      const dossier = fold(events, run);
      const review = reviewRowOf(dossier);
      seen.add(selectEffective(dossier)?.status ?? 'no row');
      seen.add(review === null ? 'no review' : 'closed' in review ? 'closed' : review.state);
    });
  }
  expect([...seen].sort()).toEqual([
    'awaiting',
    'closed',
    'contested',
    'corrected',
    'no review',
    'no row',
    'original',
    'repaired',
    'unresolved',
  ]);
});

const chainOf = ({ subject }: ReadStored): string => subject.split('.').slice(0, -1).join('.');
