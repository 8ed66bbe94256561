import type { ThoughtEvent } from '@emend/contracts';
import type { Dossier, EffectiveStatus } from '@emend/history';
import { activeJudgments, reviewRowOf, selectEffective } from '@emend/history';

export type Tally = Readonly<Record<string, number>>;

/** What the story tells, counted from the dossiers of the demo's own runs. */
export interface Counts {
  readonly runs: number;
  readonly valid: number;
  readonly failed: Tally;
  readonly requested: number;
  readonly proposed: number;
  readonly repairFailed: Tally;
  readonly judged: Tally;
  readonly effective: Tally;
  readonly review: Tally;
}

/** How the answers to sources came out, and the calls that they took, counted from the events themselves. */
export interface Answers {
  readonly exact: number;
  readonly repaired: number;
  readonly overseen: number;
  readonly failed: number;
  readonly calls: { readonly primary: number; readonly overseer: number };
}

/** Counts the ends of standard runs. Those of repair runs are settlements, and are counted as such. */
export function countAnswers(events: readonly ThoughtEvent[]): Answers {
  const outputs = events.flatMap((event) => (event.name === 'outputProduced' ? [event.data] : []));
  const failures = events.flatMap((event) => (event.name === 'runFailed' && event.data.repair === undefined ? [event.data] : []));
  const calls = [...outputs, ...failures].flatMap((end) => end.calls ?? []);
  const by = (way: (typeof outputs)[number]['completion']): number => outputs.filter(({ completion }) => completion === way).length;
  return {
    exact: by('exact'),
    repaired: by('repaired'),
    overseen: by('overseen'),
    failed: failures.length,
    calls: { primary: sum(calls.map(({ primary }) => primary)), overseer: sum(calls.map(({ overseer }) => overseer)) },
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Counts the dossiers. Pure: one run more or less changes each count by what that run is. */
export function countRuns(dossiers: readonly Dossier[]): Counts {
  const repairs = dossiers.flatMap((dossier) => Object.values(dossier.repairs));
  return {
    runs: dossiers.length,
    valid: dossiers.filter(({ ended }) => ended?.kind === 'produced').length,
    failed: tally(dossiers.flatMap(({ ended }) => (ended?.kind === 'failed' ? [ended.diagnostic?.class ?? 'unsanitized'] : []))),
    requested: repairs.filter(({ request }) => request?.kind === 'requested').length,
    proposed: repairs.filter(({ settlement }) => settlement?.kind === 'proposed').length,
    repairFailed: tally(repairs.flatMap(({ settlement }) => (settlement?.kind === 'repair_failed' ? [settlement.class] : []))),
    judged: tally(dossiers.flatMap((dossier) => activeJudgments(dossier).map(({ verdict }) => verdict))),
    effective: tally(dossiers.map((dossier): EffectiveStatus | 'none' => selectEffective(dossier)?.status ?? 'none')),
    review: tally(dossiers.flatMap((dossier) => stateOf(dossier) ?? [])),
  };
}

function stateOf(dossier: Dossier): string | null {
  const row = reviewRowOf(dossier);
  return row && ('closed' in row ? 'closed' : row.state);
}

export function tally(words: readonly string[]): Tally {
  const counts: Record<string, number> = {};
  for (const word of words.toSorted()) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

/** In the order of the words: what came first in the log is chance. */
export const tallyText = (counts: Tally): string =>
  Object.entries(counts)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([word, count]) => `${word} ${count}`)
    .join(', ') || 'none';
