import {
  type AgentDeclared,
  type AgentRef,
  agentIsIntact,
  type CheckedDiagnostic,
  checkDiagnostic,
  compileContract,
  type ContractRef,
  type Diagnostic,
  type EventOf,
  type OutputContract,
  type PlaceName,
  placeOf,
  type Privacy,
  type Provenance,
  type SourceClass,
  type ThoughtEvent,
} from '@emend/contracts';

/** An event with the sequence it was stored under. */
export interface StoredFact<Event extends ThoughtEvent = ThoughtEvent> {
  readonly sequence: number;
  readonly event: Event;
}

/** What was read of a failed run, place by place. Null: not found, void, erased, or stored after the end. */
export interface GatheredFacts {
  readonly ended: StoredFact<EventOf<'runFailed' | 'outputProduced'>>;
  readonly started: StoredFact<EventOf<'runStarted'>> | null;
  readonly trigger: StoredFact | null;
  readonly declaration: StoredFact<EventOf<'agentDeclared'>> | null;
  readonly contract: StoredFact<EventOf<'contractDeclared'>> | null;
}

/** An event as evidence: who it is and what it is bound to. */
interface Witness {
  readonly id: string;
  readonly rootId: string;
  readonly privacy: Privacy;
  readonly sourceClass: SourceClass;
}

/**
 * Everything that eligibility is decided from. No field here can hold candidate text, quarantined text or a free
 * sentence about the failure: "never reads" is true by construction (T45).
 */
export interface Evidence {
  readonly run: string;
  readonly ended: Witness & {
    readonly outcome: 'failed' | 'produced';
    readonly time: string;
    readonly producer: string;
    readonly reference: string;
    readonly trigger: string;
    readonly started: string | null;
    readonly agent: AgentRef;
    readonly contract: ContractRef;
    readonly diagnostic: Diagnostic | 'unsanitized' | null;
  };
  readonly started:
    | (Witness & {
        readonly trigger: string;
        readonly agent: AgentRef;
        readonly contract: ContractRef;
        readonly model: Provenance;
        readonly role: 'standard' | 'repair';
      })
    | null;
  readonly trigger: (Witness & { readonly place: PlaceName }) | null;
  readonly declaration:
    | (Witness & Pick<AgentDeclared, 'role' | 'fingerprint' | 'promptHash' | 'contract'> & { readonly intact: boolean })
    | null;
  /** The contract as the log declares it; `intact` where it compiles and is what its hash says. */
  readonly contract: (Witness & { readonly ref: ContractRef; readonly intact: OutputContract | null }) | null;
}

/** Reduces what was read to what may be looked at. */
export function assembleEvidence(facts: GatheredFacts): Evidence {
  const { ended, started, trigger, declaration, contract } = facts;
  const end = ended.event;
  return {
    run: end.data.run,
    ended: {
      ...witness(end),
      outcome: end.name === 'runFailed' ? 'failed' : 'produced',
      time: end.time,
      producer: end.data.producer,
      reference: end.data.reference,
      trigger: end.data.trigger,
      started: end.data.started ?? null,
      agent: end.data.agent,
      contract: end.data.contract,
      diagnostic: end.name === 'runFailed' ? sanitized(checkDiagnostic(end.data.diagnostic)) : null,
    },
    started: started && {
      ...witness(started.event),
      trigger: started.event.data.trigger,
      agent: started.event.data.agent,
      contract: started.event.data.contract,
      model: started.event.data.model,
      role: started.event.data.role,
    },
    trigger: trigger && { ...witness(trigger.event), place: placeOf(trigger.event.subject)?.place ?? 'source' },
    declaration: declaration && {
      ...witness(declaration.event),
      role: declaration.event.data.role,
      fingerprint: declaration.event.data.fingerprint,
      promptHash: declaration.event.data.promptHash,
      contract: declaration.event.data.contract,
      intact: agentIsIntact(declaration.event.data),
    },
    contract: contract && {
      ...witness(contract.event),
      ref: {
        id: contract.event.data.definition.id,
        version: contract.event.data.definition.version,
        hash: contract.event.data.hash,
      },
      intact: compiled(contract.event),
    },
  };
}

const witness = ({ id, rootId, privacy, sourceClass }: ThoughtEvent): Witness => ({ id, rootId, privacy, sourceClass });

const sanitized = (checked: CheckedDiagnostic): Diagnostic | 'unsanitized' =>
  checked.kind === 'sanitized' ? checked.diagnostic : 'unsanitized';

function compiled(event: EventOf<'contractDeclared'>): OutputContract | null {
  try {
    const contract = compileContract(event.data.definition);
    return contract.ref.hash === event.data.hash ? contract : null;
  } catch {
    return null; // The code says enough: the contract is not what its declaration claims.
  }
}
