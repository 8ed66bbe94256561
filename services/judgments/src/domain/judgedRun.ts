import { type EventOf, eventIdOf, placeOf, type ThoughtEvent } from '@emend/contracts';
import { chainOf, type Dossier, emptyDossier, evolveDossier, FactsSoFar, type FoldedEvent, type KnownFacts } from '@emend/history';

/** One judgment of the run, of any authority: what a command may name by mistake. */
export interface JudgmentFact {
  readonly eventId: string;
  readonly chain: string;
  /** Null where what stands there is no judgment. */
  readonly authority: string | null;
  readonly kind: 'recorded' | 'retracted' | 'void';
  /** The judgment that this one took out of the active set. */
  readonly ends: string | null;
}

/** All that is decided from. */
export interface JudgedRun {
  readonly dossier: Dossier;
  readonly facts: KnownFacts;
  readonly judgments: readonly JudgmentFact[];
  /** The newest time at which a valid judgment of this run was observed, whoever judged. */
  readonly newestObservedAt: string | null;
}

/** Folds what was read of one run, in the log's order and by history's rules: what is void there is void here. */
export function foldRun(run: string, read: readonly FoldedEvent[]): JudgedRun {
  const events = read.toSorted((a, b) => a.sequence - b.sequence);
  let dossier = emptyDossier(run);
  let facts = nothingKnown;
  for (const folded of events) {
    dossier = evolveDossier(dossier, folded, facts);
    // A run has one contract, so what was learned before it is nothing.
    if (folded.read.kind === 'event' && folded.read.event.name === 'contractDeclared') facts = learned(folded.read.event);
  }
  const judged = events.flatMap((folded) => judgmentFact(dossier, folded));
  const times = judged.flatMap(({ observedAt }) => (observedAt === null ? [] : [observedAt])).sort();
  return { dossier, facts, judgments: judged.map(({ fact }) => fact), newestObservedAt: times.at(-1) ?? null };
}

const nothingKnown = new FactsSoFar();

/** Compiling takes milliseconds and gives the same for the same event; the event object itself is what a reader keeps. */
const learnedBefore = new WeakMap<ThoughtEvent, FactsSoFar>();

function learned(event: EventOf<'contractDeclared'>): FactsSoFar {
  const facts = learnedBefore.get(event) ?? new FactsSoFar();
  if (!learnedBefore.has(event)) facts.learn(event);
  learnedBefore.set(event, facts);
  return facts;
}

function judgmentFact(dossier: Dossier, { subject, read }: FoldedEvent): readonly { fact: JudgmentFact; observedAt: string | null }[] {
  const place = placeOf(subject);
  if (place?.place !== 'judgment') return [];
  const [, chain = '', n = ''] = place.key;
  const link = chainOf(dossier, chain).links.find((one) => one.n === Number(n));
  const eventId = eventIdOf(subject);
  const isJudgment = read.kind === 'event' && (read.event.name === 'judgmentRecorded' || read.event.name === 'judgmentRetracted');
  if (!isJudgment || link === undefined || link.fault !== null) {
    return [{ fact: { eventId, chain, authority: null, kind: 'void', ends: null }, observedAt: null }];
  }
  const { authority, observedAt } = read.event.data;
  const fact: JudgmentFact =
    read.event.name === 'judgmentRetracted'
      ? { eventId, chain, authority, kind: 'retracted', ends: read.event.data.retracts }
      : { eventId, chain, authority, kind: 'recorded', ends: read.event.data.supersedes };
  return [{ fact, observedAt }];
}
