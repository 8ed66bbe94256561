import type { Dossier, Judgment } from './dossier.js';

/** The active leaves of every authority, the latest last (T105 to T107). */
export function activeJudgments(dossier: Dossier): readonly Judgment[] {
  return Object.values(dossier.chains)
    .flatMap((chain) => (chain.active ? [chain.active] : []))
    .sort(byObservation);
}

/** By observation time, ties by event id: the one comparator for reading, writing and exporting (T107). */
export function byObservation(a: Pick<Judgment, 'observedAt' | 'eventId'>, b: Pick<Judgment, 'observedAt' | 'eventId'>): number {
  if (a.observedAt !== b.observedAt) return a.observedAt < b.observedAt ? -1 : 1;
  if (a.eventId === b.eventId) return 0;
  return a.eventId < b.eventId ? -1 : 1;
}
