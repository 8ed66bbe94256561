import { type ContractRef, compileContract, OutputContracts, type ThoughtEvent } from '@emend/contracts';
import {
  type Dossier,
  emptyDossier,
  evolveDossier,
  type FoldedEvent,
  type KnownFacts,
  type SourceFact,
  sourceFactOf,
} from '@emend/history';

/** Folds a whole log as a ledger does: every event, sources too, each judged by what stood before it. */
export function wholeFold(events: readonly FoldedEvent[], run: string): Dossier {
  const facts = new LearnedFacts();
  let dossier = emptyDossier(run);
  for (const folded of events) {
    dossier = evolveDossier(dossier, folded, facts);
    if (folded.read.kind === 'event') facts.learn(folded.read.event);
  }
  return dossier;
}

/** Compiled once for all folds: that takes milliseconds, and a property folds hundreds of times. */
const compiled = new Map<string, ReturnType<typeof compileContract>>();

class LearnedFacts implements KnownFacts {
  readonly #sources = new Map<string, SourceFact>();
  readonly #contracts = new OutputContracts();

  learn(event: ThoughtEvent): void {
    if (event.name === 'sourceCaptured') this.#sources.set(event.id, sourceFactOf(event));
    if (event.name !== 'contractDeclared') return;
    const { hash, definition } = event.data;
    const contract = compiled.get(hash) ?? compileContract(definition);
    compiled.set(hash, contract);
    this.#contracts.add(contract);
  }

  source = (eventId: string): SourceFact | undefined => this.#sources.get(eventId);
  contract = (ref: ContractRef) => this.#contracts.resolve(ref);
}
