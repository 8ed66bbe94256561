import { checkDiagnostic, claimantOf, type EventRead } from '@emend/contracts';

/** What the two places of one attempt say to one delivery. */
export type AttemptState = 'unseen' | 'claimed_by_me' | 'claimed_by_another' | 'ended_abandoned' | 'ended';
export type AttemptStep = 'claim' | 'work' | 'abandon' | 'next_attempt' | 'after_end';

interface AttemptRow {
  readonly id: string;
  readonly state: AttemptState;
  readonly step: AttemptStep;
  readonly sentence: string;
}

/** One attempt: one claim, one end, and so at most one answer. Attempts are tried from the first to the last. */
export const runTable = [
  { id: 'A1', state: 'unseen', step: 'claim', sentence: 'Neither a claim nor an end was seen: claim.' },
  { id: 'A2', state: 'claimed_by_me', step: 'work', sentence: 'The stored claimant is this delivery: the work may be done.' },
  {
    id: 'A3',
    state: 'claimed_by_another',
    step: 'abandon',
    sentence: 'Another delivery claimed and did not end: end it with `abandoned`, then look at the next attempt.',
  },
  { id: 'A4', state: 'ended_abandoned', step: 'next_attempt', sentence: 'The attempt was given up: look at the next one.' },
  {
    id: 'A5',
    state: 'ended',
    step: 'after_end',
    sentence: 'An output or a failure stands: the trigger is answered, and what follows from its end is seen to.',
  },
] as const satisfies readonly AttemptRow[];

const stepOf = Object.fromEntries(runTable.map(({ state, step }) => [state, step])) as Readonly<Record<AttemptState, AttemptStep>>;

export const decideAttempt = (state: AttemptState): AttemptStep => stepOf[state];

/** What was seen on the claim's and the end's places. `null` proves nothing; the append that follows does. */
export interface PlacesSeen {
  readonly started: EventRead | null;
  readonly ended: EventRead | null;
}

/** A place is taken by whatever stands on it: a void end ends, a void claim is another's. */
export function stateOf({ started, ended }: PlacesSeen, claimant: string): AttemptState {
  if (ended !== null) return isAbandoned(ended) ? 'ended_abandoned' : 'ended';
  if (started === null) return 'unseen';
  return claimantOf(started) === claimant ? 'claimed_by_me' : 'claimed_by_another';
}

function isAbandoned(ended: EventRead): boolean {
  if (ended.kind !== 'event' || ended.event.name !== 'runFailed') return false;
  const checked = checkDiagnostic(ended.event.data.diagnostic);
  return checked.kind === 'sanitized' && checked.diagnostic.class === 'abandoned';
}
