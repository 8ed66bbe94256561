import {
  type ContractRef,
  compileContract,
  type EventOf,
  OutputContracts,
  type Privacy,
  type Resolved,
  type SourceClass,
  type ThoughtEvent,
} from '@emend/contracts';

/** What a dossier needs to know of a source. Its text is not among it. */
export interface SourceFact {
  readonly eventId: string;
  readonly kind: string;
  readonly privacy: Privacy;
  readonly sourceClass: SourceClass;
}

/** What stood in the log before the event in hand, beside the run's own events. */
export interface KnownFacts {
  source(eventId: string): SourceFact | undefined;
  contract(ref: ContractRef): Resolved;
}

export const sourceFactOf = (event: EventOf<'sourceCaptured'>): SourceFact => ({
  eventId: event.id,
  kind: event.data.kind,
  privacy: event.privacy,
  sourceClass: event.sourceClass,
});

/**
 * Binds a declared contract. Where it does not compile, or is not what its hash says, it binds nothing:
 * the event is void, and whatever names the contract finds it unknown.
 */
export function learnContract(contracts: OutputContracts, event: EventOf<'contractDeclared'>): 'bound' | 'void' {
  try {
    const contract = compileContract(event.data.definition);
    if (contract.ref.hash !== event.data.hash) return 'void';
    contracts.add(contract);
    return 'bound';
  } catch {
    return 'void';
  }
}

/** {@link KnownFacts} in memory, learned event by event. */
export class FactsSoFar implements KnownFacts {
  readonly #sources = new Map<string, SourceFact>();
  readonly #contracts = new OutputContracts();

  learn(event: ThoughtEvent): void {
    if (event.name === 'sourceCaptured') this.#sources.set(event.id, sourceFactOf(event));
    if (event.name === 'contractDeclared') learnContract(this.#contracts, event);
  }

  source(eventId: string): SourceFact | undefined {
    return this.#sources.get(eventId);
  }

  contract(ref: ContractRef): Resolved {
    return this.#contracts.resolve(ref);
  }
}
