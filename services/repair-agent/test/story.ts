import {
  type AgentDeclared,
  type AgentWritten,
  agentRefOf,
  type ContractRef,
  compileContract,
  declareAgent,
  type EncodedEvent,
  type EventDraft,
  type EventName,
  encodeEvent,
  eventIdOf,
  type OutputContractDefinition,
  observation,
  outputRepairPolicy,
  type Privacy,
  type Provenance,
  policyIdentityOf,
  policyTokenOf,
  runIdOf,
  type SourceClass,
  subjects,
} from '@emend/contracts';
import type { EventLog, StoredEvent } from '@emend/log';
import { repairSubscription } from '../src/index.js';

export const sourceText = 'The tide gauge at the north pier read 4.12 m at 06:40.';
export const failedAt = '2026-11-30T10:00:00.000Z';

export const original: Provenance = {
  provider: 'local',
  model: 'small-1',
  executionAdapter: 'recorded@1',
  learnedAdapter: null,
  catalog: { digest: 'a'.repeat(64), generation: 3 },
};

type Draft = { readonly [Name in EventName]: EventDraft<Name> }[EventName];

/** One thing that a test changes about the story. */
export interface StoryOptions {
  readonly definition?: OutputContractDefinition;
  readonly capture?: string;
  /** Of the run; the source's is `field-notes`. */
  readonly producer?: string;
  readonly privacy?: Privacy;
  readonly requestPrivacy?: Privacy;
  readonly sourceClass?: SourceClass;
  readonly agent?: Partial<AgentWritten>;
  /** Alters a draft before it is encoded; null leaves the event out. */
  readonly change?: (draft: Draft) => Draft | null;
}

export interface Story {
  readonly source: string;
  readonly run: string;
  readonly policy: string;
  readonly requestId: string;
  readonly claimPlace: string;
  readonly settlementPlace: string;
  readonly repairAgent: AgentDeclared;
  readonly valid: string;
  /** In the order of the log; the request comes last. */
  readonly events: readonly EncodedEvent[];
}

const refs = new Map<OutputContractDefinition, ContractRef>();

/** Compiled once a file. */
function refOf(definition: OutputContractDefinition): ContractRef {
  const ref = refs.get(definition) ?? compileContract(definition).ref;
  refs.set(definition, ref);
  return ref;
}

/** A repair agent as it ships, for a contract. */
export function repairAgentFor(definition: OutputContractDefinition = observation, change: Partial<AgentWritten> = {}): AgentDeclared {
  return declareAgent({
    id: 'output-repair',
    version: 1,
    role: 'repair',
    tier: 'escalation',
    subscriptions: [repairSubscription],
    contract: refOf(definition),
    prompt: 'Repair.',
    outputPrivacy: 'private',
    learnedAdapter: null,
    limits: { outputTokensMax: 768, generationMs: 30_000 },
    enabled: false,
    ...change,
  });
}

/** One failed run and the request for its repair, all evidence in place. */
export function story(options: StoryOptions = {}): Story {
  const { definition = observation, capture = 'n001', privacy = 'public', sourceClass = 'public-source' } = options;
  // By default another producer than the source's: the request names the one of the run.
  const { producer = 'runner' } = options;
  const contract = refOf(definition);
  const written: AgentWritten = {
    id: 'observer',
    version: 1,
    role: 'standard',
    tier: 'primary',
    subscriptions: ['stream.thought.source.note.captured'],
    contract,
    prompt: 'You write observations.',
    outputPrivacy: 'public',
    learnedAdapter: null,
    limits: { outputTokensMax: 512, generationMs: 30_000 },
    enabled: true,
  };
  const observer = declareAgent(written);
  const repairAgent = repairAgentFor(definition, options.agent);
  const source = subjects.source({ kind: 'note', producer: 'field-notes', capture });
  const reference = `${capture}.first`;
  const run = runIdOf({ producer, reference });
  const started = subjects.runStarted({ producer, run });
  const failed = subjects.runEnded({ producer, run });
  const policy = policyIdentityOf(outputRepairPolicy);
  const key = { run, policy: policyTokenOf(policy) };
  const rootId = eventIdOf(source);
  const envelope = { source: producer, time: failedAt, privacy, sourceClass } as const;
  const inRun = { producer, reference, run, trigger: source, agent: agentRefOf(observer), contract };
  const diagnostic = {
    class: 'contract_violation',
    contract,
    issues: [{ code: 'required', path: '' }],
    issueCount: 1,
    candidateBytes: 12,
  } as const;

  const drafts: readonly Draft[] = [
    { ...envelope, name: 'contractDeclared', data: { definition, hash: contract.hash } },
    { ...envelope, name: 'agentDeclared', data: observer },
    { ...envelope, name: 'agentDeclared', data: repairAgent },
    { ...envelope, name: 'sourceCaptured', data: { producer: 'field-notes', capture, kind: 'note', text: sourceText } },
    {
      ...envelope,
      name: 'runStarted',
      rootId,
      data: { ...inRun, role: 'standard', model: original, manifest: { sources: [source] } },
    },
    { ...envelope, name: 'runFailed', rootId, data: { ...inRun, started: eventIdOf(started), diagnostic } },
    {
      ...envelope,
      name: 'repairRequested',
      source: 'coordinator',
      rootId,
      privacy: options.requestPrivacy ?? privacy,
      data: {
        producer,
        run,
        policy,
        failed: eventIdOf(failed),
        started: eventIdOf(started),
        trigger: source,
        declaration: eventIdOf(subjects.agent(observer)),
        agent: agentRefOf(observer),
        contract,
        model: original,
        diagnostic,
      },
    },
  ];
  const changed = drafts.map((draft) => (options.change ? options.change(draft) : draft)).filter((draft) => draft !== null);
  const output = {
    title: 'Tide above the table',
    summary: 'The gauge read 4.12 m.',
    tags: ['tide'],
    confidence: 0.9,
    evidence: [{ eventId: rootId, quote: 'read 4.12 m' }],
  };
  return {
    source,
    run,
    policy: key.policy,
    requestId: eventIdOf(subjects.repairRequested(key)),
    claimPlace: subjects.repairStarted(key),
    settlementPlace: subjects.correction(key),
    repairAgent,
    valid: JSON.stringify(output),
    events: changed.map((draft) => encode(draft)),
  };
}

// One encoder for all names: the draft's own name says which type it is.
const encode = (draft: Draft): EncodedEvent => encodeEvent(draft as EventDraft<'repairRequested'>);

/** Appends the story and returns its request as stored. */
export async function tell(log: EventLog, { events }: Story): Promise<StoredEvent> {
  let last: StoredEvent | null = null;
  for (const event of events) {
    await log.append(event);
    last = await log.get(event.subject);
  }
  if (last === null) throw new Error('a story has events');
  return last;
}
