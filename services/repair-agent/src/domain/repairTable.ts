import { claimantOf, type EventRead } from '@emend/contracts';

/** What the two places of a request say to one delivery. */
export type RepairState = 'unseen' | 'claimed_by_me' | 'claimed_by_another' | 'settled';
export type RepairStep = 'claim' | 'generate' | 'abandon' | 'nothing';

interface RepairRow {
  readonly id: string;
  readonly state: RepairState;
  readonly step: RepairStep;
  readonly sentence: string;
}

/** The whole protocol: one claim, one settlement, and so at most one generation (T84 to T86). */
export const repairTable = [
  { id: 'R1', state: 'unseen', step: 'claim', sentence: 'Neither a claim nor a settlement was seen: read the evidence and claim.' },
  { id: 'R2', state: 'claimed_by_me', step: 'generate', sentence: 'The stored claimant is this delivery: the model may be called, once.' },
  {
    id: 'R3',
    state: 'claimed_by_another',
    step: 'abandon',
    sentence: 'Another delivery claimed and did not settle: settle with `abandoned`.',
  },
  { id: 'R4', state: 'settled', step: 'nothing', sentence: 'A settlement stands: the request is handled.' },
] as const satisfies readonly RepairRow[];

const stepOf = Object.fromEntries(repairTable.map(({ state, step }) => [state, step])) as Readonly<Record<RepairState, RepairStep>>;

export const decideRepair = (state: RepairState): RepairStep => stepOf[state];

/** What was seen on the claim's and the settlement's places. `null` proves nothing; the append that follows does. */
export interface PlacesSeen {
  readonly claim: EventRead | null;
  readonly settlement: EventRead | null;
}

/** A place is taken by whatever stands on it: a void or foreign settlement settles, a void claim is another's. */
export function stateOf({ claim, settlement }: PlacesSeen, claimant: string): RepairState {
  if (settlement !== null) return 'settled';
  if (claim === null) return 'unseen';
  return claimantOf(claim) === claimant ? 'claimed_by_me' : 'claimed_by_another';
}
