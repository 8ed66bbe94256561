import type { CompletionWay, ContractRef, EditCount, Privacy, Provenance, SourceClass } from '@emend/contracts';
import type { Judgment } from '@emend/history';

/**
 * How an output came to be worth learning from. `allowed` is the allow-list: the others are known and never exported.
 * `order` is what a row says of the steps, and it is one of these sentences and nothing else (T128).
 */
export const trajectories = {
  'repair.accepted': { allowed: true, order: 'failed proposed accepted' },
  'repair.corrected': { allowed: true, order: 'failed proposed corrected' },
  'repair.preferred': { allowed: true, order: 'failed proposed accepted preferred' },
  'original.corrected': { allowed: true, order: 'produced corrected' },
  // The seed names repairs and their corrections. That somebody liked a valid answer is not among what may leave.
  'original.accepted': { allowed: false, order: 'produced accepted' },
  'original.preferred': { allowed: false, order: 'produced preferred' },
} as const satisfies Readonly<Record<string, { readonly allowed: boolean; readonly order: string }>>;

export type TrajectoryType = keyof typeof trajectories;

/** Where a run stands that no authority stands behind. Each is a reason of its own (T127). */
export const standings = ['not_ended', 'original_alone', 'unresolved', 'repair_failed', 'rejected', 'retracted', 'never_judged'] as const;
export type Standing = (typeof standings)[number];

export type ParticipantRole = 'source' | 'started' | 'ended' | 'request' | 'claim' | 'proposal' | 'judgment';

/** One event of the joined chain (T124). Where it is missing or unreadable, it counts as private and restricted. */
export interface Participant {
  readonly role: ParticipantRole;
  readonly eventId: string | null;
  readonly privacy: Privacy;
  readonly sourceClass: SourceClass;
}

/** What the log says of the model of one run: once by the run itself, once more by each proposal. */
export interface ParticipatingRun {
  readonly role: 'original' | 'repair';
  readonly model: Provenance;
  /** Set where a proposal says something of the run too, and it has to say the same. */
  readonly proposed: Provenance | null;
}

/** How the run's own output came to be valid: what ring 1 had to do with it. */
export interface OriginalCompletion {
  readonly way: CompletionWay;
  readonly edits: readonly EditCount[];
}

/** One way of learning from a run: the sides, who stands behind them, and everything that took part. */
export interface Trajectory {
  readonly kind: 'trajectory';
  readonly run: string;
  /** The sequence of the last event of the run: what rows are ordered by. */
  readonly position: number;
  readonly type: TrajectoryType;
  /** Every judgment that carries it, each of which has to be eligible. */
  readonly judgments: readonly Judgment[];
  /** Whether an active judgment stands behind each output, as the type wants it. */
  readonly backed: boolean;
  readonly contested: boolean;
  /** Whether it leads to the effective output of its run, and nothing newer does (T107). */
  readonly effective: boolean;
  readonly sourceKind: string | null;
  readonly participants: readonly Participant[];
  readonly runs: readonly ParticipatingRun[];
  /** Null where the run failed: then it has no output of its own. */
  readonly completion: OriginalCompletion | null;
  readonly contract: ContractRef;
  /** What the other events say that they were made for. */
  readonly contractsNamed: readonly { readonly role: ParticipantRole; readonly contract: ContractRef }[];
  /** Canonical JSON text as a row would hold it: identifiers of the log are replaced. */
  readonly chosen: string;
  readonly rejected: string | null;
  /** Whether an identifier of the log is left in a side all the same. */
  readonly namesIdentifier: boolean;
}

/** A run that offers no trajectory, and why. */
export interface Nothing {
  readonly kind: 'nothing';
  readonly run: string;
  readonly position: number;
  readonly standing: Standing;
}

export type Candidate = Trajectory | Nothing;
