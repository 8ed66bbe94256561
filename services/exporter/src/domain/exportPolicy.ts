import type { CompletionWay, ContractRef, Privacy, Resolved } from '@emend/contracts';

/** What the host names one by one: events that may leave although they are not public (T126). */
export interface Declassification {
  readonly events: ReadonlySet<string>;
}

/** Where material that is not public may go: this very folder, up to this privacy, under these contracts (T126). */
export interface Destination {
  readonly upTo: Exclude<Privacy, 'public'>;
  /** `id@version`. */
  readonly contracts: readonly string[];
}

/** What the gates are asked with. Everything that is not named here is refused. */
export interface ExportPolicy {
  readonly sourceKinds: readonly string[];
  /** Ways in which a run's own output may have come to be valid. */
  readonly completions: readonly CompletionWay[];
  /** Null without the file. */
  readonly declassification: Declassification | null;
  /** Null without the file, or where the file names another folder. */
  readonly destination: Destination | null;
  readonly contract: (ref: ContractRef) => Resolved;
}
