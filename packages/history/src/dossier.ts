import type {
  AgentRef,
  CompletionWay,
  ContractRef,
  Diagnostic,
  EditCount,
  JudgmentTarget,
  Privacy,
  Provenance,
  SourceClass,
  Verdict,
} from '@emend/contracts';
import type { FaultCode } from './faults.js';
import type { SourceFact } from './facts.js';

/** An event as the dossier remembers it. */
interface Remembered {
  readonly eventId: string;
  readonly privacy: Privacy;
  readonly sourceClass: SourceClass;
}

export interface Started extends Remembered {
  readonly kind: 'started';
  readonly trigger: string;
  /** The trigger's facts, where the trigger is a source that stood in the log before. */
  readonly source: SourceFact | null;
  readonly rootId: string;
  readonly agent: AgentRef;
  readonly contract: ContractRef;
  readonly model: Provenance;
}

export interface Produced extends Remembered {
  readonly kind: 'produced';
  readonly contract: ContractRef;
  /** Canonical JSON text, checked against the contract. */
  readonly output: string;
  /** How it came to be valid. */
  readonly completion: CompletionWay;
  /** What the decoder did to it; empty where nothing, or where its writer does not say. */
  readonly edits: readonly EditCount[];
}

export interface Failed extends Remembered {
  readonly kind: 'failed';
  readonly contract: ContractRef;
  /** Null where the stored diagnostic holds more than a diagnostic may. */
  readonly diagnostic: Diagnostic | null;
}

/** An event that took its place and has no effect. `code` says which rule it broke. */
export interface Void {
  readonly kind: 'void';
  readonly code: FaultCode;
}

/** The event that stood here was erased. */
export interface Erased {
  readonly kind: 'erased';
}

export interface Requested extends Remembered {
  readonly kind: 'requested';
}

export interface Claimed extends Remembered {
  readonly kind: 'claimed';
  readonly repairRun: string;
  readonly model: Provenance;
}

export interface Proposed extends Remembered {
  readonly kind: 'proposed';
  readonly contract: ContractRef;
  /** Canonical JSON text, checked against the contract. */
  readonly output: string;
  readonly repairRun: string;
  readonly original: Provenance;
  readonly repair: Provenance;
}

export interface RepairFailed extends Remembered {
  readonly kind: 'repair_failed';
  readonly class: string;
}

/** One repair of the run, under one policy. */
export interface Repair {
  readonly request: Requested | Void | Erased | null;
  readonly claim: Claimed | Void | Erased | null;
  readonly settlement: Proposed | RepairFailed | Void | Erased | null;
}

/** One judgment that follows the rules of its place. */
export interface Judgment extends Remembered {
  readonly verdict: Verdict;
  readonly authority: string;
  readonly target: JudgmentTarget;
  readonly observedAt: string;
  readonly quality: boolean;
  readonly externalExport: boolean;
  /** With `correct`: canonical JSON text, checked against the run's contract. */
  readonly replacement: string | null;
  readonly prefer: { readonly preferred: string; readonly over: string } | null;
}

/** What became of one place of a chain; what the judgments service looks an action id up in. */
export interface ChainLink {
  readonly n: number;
  readonly eventId: string;
  /** The client's action id and the hash of what the act said; null where the place is void or erased. */
  readonly action: string | null;
  readonly content: string | null;
  /** Why the event here has no effect; null where it follows the rules. */
  readonly fault: FaultCode | 'erased' | null;
}

/** All judgments of one authority on one target. The last valid one is active unless it is a retraction. */
export interface Chain {
  readonly links: readonly ChainLink[];
  readonly active: Judgment | null;
}

/** An event that had no effect, with its reason: kept, counted, never thrown. */
export interface Ignored {
  readonly subject: string;
  readonly code: FaultCode;
}

/** How many events without effect a dossier remembers one by one; beyond, it counts. Enough to see what is wrong. */
export const ignoredMax = 32;

/** Everything that the log says of one original run. A value: two folds of the same events are equal, byte for byte. */
export interface Dossier {
  readonly run: string;
  /** Whose run it is. Until an event proves it by the run id, whoever wrote on a place of the run first. */
  readonly producer: string | null;
  /** The sequence of the last event folded into this run. */
  readonly position: number;
  readonly started: Started | Void | Erased | null;
  readonly ended: Produced | Failed | Void | Erased | null;
  /** By policy token. */
  readonly repairs: Readonly<Record<string, Repair>>;
  /** By chain id. */
  readonly chains: Readonly<Record<string, Chain>>;
  /** The first {@link ignoredMax} events without effect. */
  readonly ignored: readonly Ignored[];
  /** All of them. */
  readonly ignoredCount: number;
}

export const emptyDossier = (run: string): Dossier => ({
  run,
  producer: null,
  position: 0,
  started: null,
  ended: null,
  repairs: {},
  chains: {},
  ignored: [],
  ignoredCount: 0,
});

/** By own keys only: a token of a subject may well be `constructor`. */
export const repairOf = (dossier: Dossier, policy: string): Repair =>
  (Object.hasOwn(dossier.repairs, policy) ? dossier.repairs[policy] : undefined) ?? emptyRepair;
export const chainOf = (dossier: Dossier, chain: string): Chain =>
  (Object.hasOwn(dossier.chains, chain) ? dossier.chains[chain] : undefined) ?? emptyChain;

export const emptyRepair: Repair = { request: null, claim: null, settlement: null };
export const emptyChain: Chain = { links: [], active: null };

/** The valid proposals of a run, in the order of their policies' tokens. */
export function proposalsOf(
  dossier: Dossier,
): readonly { readonly policy: string; readonly proposal: Proposed; readonly repair: Repair }[] {
  return Object.entries(dossier.repairs)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([policy, repair]) => (repair.settlement?.kind === 'proposed' ? [{ policy, proposal: repair.settlement, repair }] : []));
}
