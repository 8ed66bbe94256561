import {
  compileContract,
  type ContractRef,
  type OutputContract,
  type OutputContractDefinition,
  OutputContracts,
  type Resolved,
} from '@emend/contracts';
import {
  type Dossier,
  type EffectiveRow,
  emptyDossier,
  evolveDossier,
  type KnownFacts,
  type SourceFact,
  selectEffective,
  sourceFactOf,
} from '@emend/history';
import { type ReadStored, storedLog } from '../../../test/support/history.js';
import type { Attempt } from '../../../test/support/randomHistory.js';

/** Folds a log into the dossier of one run, learning sources and contracts on the way, as a ledger does. */
export function fold(events: readonly ReadStored[], run: string, between: (dossier: Dossier) => Dossier = (dossier) => dossier): Dossier {
  const facts = new LearnedFacts();
  let dossier = emptyDossier(run);
  for (const event of events) {
    dossier = between(evolveDossier(dossier, event, facts));
    facts.learn(event);
  }
  return dossier;
}

/** What a log with these events, in this order, says of the run. */
export const dossierOf = (run: string, ...events: readonly Attempt[]): Dossier => fold(storedLog(...events).read, run);

/** {@link dossierOf}, as far as consumers see it. */
export const rowOf = (run: string, ...events: readonly Attempt[]): EffectiveRow | null => selectEffective(dossierOf(run, ...events));

/** Like `FactsSoFar`, but compiles a contract once for all folds: that takes milliseconds, and a property folds thousands of times. */
class LearnedFacts implements KnownFacts {
  readonly #sources = new Map<string, SourceFact>();
  readonly #contracts = new OutputContracts();

  learn({ read }: ReadStored): void {
    if (read.kind !== 'event') return;
    if (read.event.name === 'sourceCaptured') this.#sources.set(read.event.id, sourceFactOf(read.event));
    if (read.event.name === 'contractDeclared') this.#contracts.add(compiled(read.event.data));
  }

  source = (eventId: string): SourceFact | undefined => this.#sources.get(eventId);
  contract = (ref: ContractRef): Resolved => this.#contracts.resolve(ref);
}

interface Declared {
  readonly definition: OutputContractDefinition;
  readonly hash: string;
}

const compiledByHash = new Map<string, OutputContract>();

function compiled({ definition, hash }: Declared): OutputContract {
  const contract = compiledByHash.get(hash) ?? compileContract(definition);
  compiledByHash.set(hash, contract);
  return contract;
}
