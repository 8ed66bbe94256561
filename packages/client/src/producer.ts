import {
  type AgentDeclared,
  type AgentWritten,
  agentIsIntact,
  agentRefOf,
  compileContract,
  type ContractRef,
  declareAgent,
  derivedPrivacy,
  type EventName,
  type EventOf,
  joinSourceClass,
  type OutputContract,
  type OutputContractDefinition,
  type Privacy,
  type PolicyDefinition,
  type Provenance,
  placeOf,
  policyIdentityOf,
  readEvent,
  runIdOf,
  type SemanticRule,
  type SourceClass,
  subjects,
  type TranscriptCapture,
  writeTranscript,
} from '@emend/contracts';
import type { EventLog, Objects, View } from '@emend/log';
import { type Appended, appendEncodedOnce, appendOnce } from './appendOnce.js';
import { ClientError } from './errors.js';
import { Run } from './run.js';

export interface ProducerOptions {
  readonly log: EventLog;
  /** The producer's name: a token of every subject it writes. */
  readonly producer: string;
  /** Where the text of failed answers goes; without it nowhere. Only the process that ran the model may write there. */
  readonly quarantine?: View;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

export interface Capture {
  readonly kind: string;
  readonly capture: string;
  readonly text: string;
  /** Without a word: `private` and `restricted-source`. */
  readonly privacy?: Privacy;
  readonly sourceClass?: SourceClass;
  /** ISO 8601 with milliseconds and Z; now, when absent. */
  readonly at?: string;
}

export interface RunStart {
  /** The producer's own reference for the run. The same reference is the same run. */
  readonly reference: string;
  readonly agent: { readonly id: string; readonly version: number };
  /** The place of the event that the run answers, as {@link Producer.capture} returned it. */
  readonly trigger: string;
  readonly model: Provenance;
  readonly promptHash?: string;
  readonly at?: string;
  /** Instead of the rules that go with the contract. */
  readonly rules?: readonly SemanticRule[];
}

/** A producer's door: declare, capture, start and end. Each append is acknowledged before the next begins. */
export class Producer {
  readonly #options: Required<Pick<ProducerOptions, 'log' | 'producer' | 'now'>> & { readonly quarantine: View | null };
  readonly #contracts = new Map<string, OutputContract>();

  constructor({ log, producer, quarantine, now = Date.now }: ProducerOptions) {
    this.#options = { log, producer, now, quarantine: quarantine ?? null };
  }

  /** @throws ContractsError where the definition cannot be used; ClientError `place_taken` where the version has other content. */
  async declareContract(definition: OutputContractDefinition): Promise<Appended<'contractDeclared'> & { readonly ref: ContractRef }> {
    const { ref } = compileContract(definition);
    const appended = await this.#declare('contractDeclared', { definition: definition, hash: ref.hash });
    return { ...appended, ref };
  }

  async declareAgent(written: AgentWritten): Promise<Appended<'agentDeclared'>> {
    return this.#declare('agentDeclared', declareAgent(written));
  }

  async declarePolicy(definition: PolicyDefinition): Promise<Appended<'policyDeclared'>> {
    return this.#declare('policyDeclared', { definition, hash: policyIdentityOf(definition).hash });
  }

  /** Stores a source. Its subject is what a run names as its trigger. */
  async capture({ kind, capture, text, privacy, sourceClass, at }: Capture): Promise<Appended<'sourceCaptured'>> {
    const { log, producer } = this.#options;
    return appendOnce(log, {
      name: 'sourceCaptured',
      source: producer,
      time: at ?? this.#now(),
      privacy: privacy ?? 'private',
      sourceClass: sourceClass ?? 'restricted-source',
      data: { producer, capture, kind, text },
    });
  }

  /**
   * Stores a transcript as a source: its segments in the event, or where they have no room there, first in the bucket of objects.
   * The bucket is asked for only then. `at` as for {@link capture}.
   * @throws ContractsError as `writeTranscript`, ClientError as {@link appendOnce}, LogError of the bucket.
   */
  async captureTranscript(
    { at, ...capture }: Omit<TranscriptCapture, 'producer' | 'time'> & Pick<Capture, 'at'>,
    objects: () => Promise<Objects>,
  ): Promise<Appended<'sourceCaptured'>> {
    const { log, producer } = this.#options;
    const written = writeTranscript({ ...capture, producer, time: at ?? this.#now() });
    if (written.kind === 'inline') return appendEncodedOnce<'sourceCaptured'>(log, written.event);
    const bucket = await objects();
    const object = await bucket.put(written.root, written.bytes);
    return appendEncodedOnce<'sourceCaptured'>(log, written.eventWith(object));
  }

  /**
   * Claims a run: the same reference again continues the run that is there.
   * @throws ClientError `reference_missing` (trigger, agent or contract is not in the log), `agent_not_intact`, `contract_hash_differs`
   */
  async start({ reference, agent: named, trigger, model, promptHash, at, rules }: RunStart): Promise<Run> {
    const { log, producer, quarantine, now } = this.#options;
    if (placeOf(trigger)?.place !== 'source') throw new ClientError('reference_missing', trigger);
    const source = await this.#read(trigger, 'sourceCaptured');
    const agent = await this.#agent(named);
    const contract = await this.#contract(agent.contract);
    const { event: started } = await appendOnce(log, {
      name: 'runStarted',
      source: producer,
      time: at ?? this.#now(),
      rootId: source.rootId,
      causationId: source.id,
      privacy: derivedPrivacy([source.privacy], agent),
      sourceClass: joinSourceClass([source.sourceClass]),
      data: {
        producer,
        reference,
        run: runIdOf({ producer, reference }),
        trigger,
        agent: agentRefOf(agent),
        contract: contract.ref,
        role: agent.role,
        model,
        manifest: { sources: [trigger], ...(promptHash === undefined ? {} : { promptHash }) },
      },
    });
    return new Run({ log, source, started, agent, contract, quarantine, rules, now });
  }

  async #agent(named: { readonly id: string; readonly version: number }): Promise<AgentDeclared> {
    const subject = subjects.agent(named);
    const { data } = await this.#read(subject, 'agentDeclared');
    if (!agentIsIntact(data)) throw new ClientError('agent_not_intact', subject);
    return data;
  }

  async #contract(ref: ContractRef): Promise<OutputContract> {
    const subject = subjects.contract(ref);
    const known = this.#contracts.get(subject);
    if (known) return known;
    const { data } = await this.#read(subject, 'contractDeclared');
    const contract = compileContract(data.definition);
    if (contract.ref.hash !== ref.hash) throw new ClientError('contract_hash_differs', subject);
    this.#contracts.set(subject, contract);
    return contract;
  }

  async #read<Name extends EventName>(subject: string, name: Name): Promise<EventOf<Name>> {
    const stored = await this.#options.log.get(subject);
    const read = stored && readEvent(stored);
    if (read?.kind !== 'event' || read.event.name !== name) throw new ClientError('reference_missing', subject);
    return read.event as EventOf<Name>;
  }

  #declare<Name extends 'contractDeclared' | 'agentDeclared' | 'policyDeclared'>(name: Name, data: EventOf<Name>['data']) {
    const { log, producer } = this.#options;
    return appendOnce<Name>(log, {
      name,
      source: producer,
      time: this.#now(),
      privacy: 'public',
      sourceClass: 'public-source',
      data,
    } as never);
  }

  #now(): string {
    return new Date(this.#options.now()).toISOString();
  }
}
