import {
  compileContract,
  completions,
  type ContractRef,
  type EncodedEvent,
  type OutputContract,
  OutputContracts,
  type OutputContractDefinition,
  placeOf,
  type Resolved,
  runOfPlace,
} from '@emend/contracts';
import { type Dossier, emptyDossier, evolveDossier, type KnownFacts, type SourceFact, sourceFactOf } from '@emend/history';
import { type ReadStored, type StoredLog, storedLog } from '../../../test/support/history.js';
import type { ExportPolicy } from '../src/domain/exportPolicy.js';
import type { FoldedRuns } from '../src/ports.js';

/** A log folded in memory: what a ledger is to the exporter, without a file. */
export function foldedRuns(log: Pick<StoredLog, 'read'>): FoldedRuns {
  const facts = new LearnedFacts();
  const dossiers = new Map<string, Dossier>();
  let position = 0;
  for (const event of log.read) {
    const place = placeOf(event.subject);
    const run = place === null ? null : runOfPlace(place);
    if (run !== null) dossiers.set(run, evolveDossier(dossiers.get(run) ?? emptyDossier(run), event, facts));
    facts.learn(event);
    position = event.sequence;
  }
  return { position: () => position, runs: () => [...dossiers.keys()].sort(), dossier: (run) => dossiers.get(run) ?? null, facts };
}

export const foldedEvents = (...events: readonly Pick<EncodedEvent, 'subject' | 'bytes'>[]): FoldedRuns => foldedRuns(storedLog(...events));

/** The policy of a host that lists `note` and has no files. */
export const policyOf = (folded: Pick<FoldedRuns, 'facts'>, over: Partial<ExportPolicy> = {}): ExportPolicy => ({
  sourceKinds: ['note'],
  completions,
  declassification: null,
  destination: null,
  contract: (ref) => folded.facts.contract(ref),
  ...over,
});

/** Learns as a fold does, but compiles each contract once for all folds of the tests. */
class LearnedFacts implements KnownFacts {
  readonly #sources = new Map<string, SourceFact>();
  readonly #contracts = new OutputContracts();

  learn({ read }: ReadStored): void {
    if (read.kind !== 'event') return;
    if (read.event.name === 'sourceCaptured') this.#sources.set(read.event.id, sourceFactOf(read.event));
    if (read.event.name === 'contractDeclared') {
      this.#contracts.add(compiled(read.event.data.definition, read.event.data.hash));
    }
  }

  source = (eventId: string): SourceFact | undefined => this.#sources.get(eventId);
  contract = (ref: ContractRef): Resolved => this.#contracts.resolve(ref);
}

const compiledByHash = new Map<string, OutputContract>();

function compiled(definition: OutputContractDefinition, hash: string): OutputContract {
  const contract = compiledByHash.get(hash) ?? compileContract(definition);
  compiledByHash.set(hash, contract);
  return contract;
}
