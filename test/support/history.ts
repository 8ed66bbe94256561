/**
 * Builds the valid events of whole runs, for tests: `const run = runStory(); storedLog(...run.declared, run.started(), run.failed())`.
 * Every builder takes what a test wants to be different, and nothing else has to be said. Equal calls give equal bytes.
 */
import {
  agentRefOf,
  chainIdOf,
  compileContract,
  type EncodedEvent,
  type EventData,
  type EventName,
  encodeEvent,
  eventIdOf,
  type JsonValue,
  type JudgmentTarget,
  type OutputContract,
  type OutputContractDefinition,
  observation,
  outputRepairPolicy,
  type PolicyDefinition,
  type Privacy,
  type Provenance,
  policyIdentityOf,
  policyTokenOf,
  repairRunIdOf,
  runIdOf,
  type SourceClass,
  subjects,
} from '@emend/contracts';
import { ChainStory, type JudgmentFacts, type LinkFacts, type Said } from './chainStory.js';
import { agentDeclaration, diagnosed, minute, observed, provenance } from './specimens.js';

export * from './chainStory.js';
export * from './specimens.js';
export * from './storedLog.js';

/** What a test may choose of a run. Times count from `startMinute`: one minute from event to event. */
export interface RunFacts {
  readonly producer: string;
  readonly reference: string;
  readonly capture: string;
  readonly text: string;
  readonly contract: OutputContractDefinition;
  readonly policy: PolicyDefinition;
  readonly privacy: Privacy;
  readonly sourceClass: SourceClass;
  readonly model: Provenance;
  readonly repairModel: Provenance;
  readonly startMinute: number;
}

/** What a test may choose of one event; `data` replaces fields of its body. */
export interface EventFacts<Name extends EventName> {
  readonly data?: Partial<EventData<Name>>;
  readonly privacy?: Privacy;
  readonly sourceClass?: SourceClass;
  readonly time?: string;
}

/** The events of one run. A repair is of `facts.policy` unless another story of the same run says otherwise: `runStory({ ...facts, policy })`. */
export function runStory(change: Partial<RunFacts> = {}) {
  const facts: RunFacts = {
    producer: 'notes',
    reference: 'run-1',
    capture: change.reference ?? 'run-1',
    text: 'A note about nothing.',
    contract: observation,
    policy: outputRepairPolicy,
    privacy: 'public',
    sourceClass: 'public-source',
    model: provenance(),
    repairModel: provenance({ model: 'large-1' }),
    startMinute: 0,
    ...change,
  };
  const contract = compiled(facts.contract);
  const agent = agentDeclaration(contract);
  const run = runIdOf(facts);
  const policy = policyTokenOf(policyIdentityOf(facts.policy));
  const trigger = subjects.source({ kind: 'note', producer: facts.producer, capture: facts.capture });
  const at = (step: number): string => minute(facts.startMinute + step);
  const idOf = {
    source: eventIdOf(trigger),
    contract: eventIdOf(subjects.contract(contract.ref)),
    declaration: eventIdOf(subjects.agent(agent)),
    started: eventIdOf(subjects.runStarted({ producer: facts.producer, run })),
    ended: eventIdOf(subjects.runEnded({ producer: facts.producer, run })),
    request: eventIdOf(subjects.repairRequested({ run, policy })),
    claim: eventIdOf(subjects.repairStarted({ run, policy })),
    settlement: eventIdOf(subjects.correction({ run, policy })),
  };
  const repairRun = repairRunIdOf(idOf.request);
  const repair = { request: idOf.request, run, policy };
  const ownRun = { producer: facts.producer, reference: facts.reference, run, trigger, agent: agentRefOf(agent), contract: contract.ref };
  const repairAgent = agentDeclaration(contract, { id: 'example.repairer', role: 'repair', prompt: 'Repair it.' });
  const secondRun = {
    producer: 'repair-agent',
    reference: idOf.request,
    run: repairRun,
    trigger: subjects.repairRequested({ run, policy }),
    agent: agentRefOf(repairAgent),
    contract: contract.ref,
    repair,
  };

  function write<Name extends EventName>(name: Name, step: number, data: EventData<Name>, over: EventFacts<Name> = {}): EncodedEvent {
    const own = name === 'sourceCaptured' || name === 'contractDeclared' || name === 'agentDeclared' || name === 'policyDeclared';
    return encodeEvent<Name>({
      name,
      source: facts.producer,
      time: over.time ?? at(step),
      ...(own ? {} : { rootId: idOf.source, causationId: idOf.source }),
      privacy: over.privacy ?? facts.privacy,
      sourceClass: over.sourceClass ?? facts.sourceClass,
      data: { ...data, ...over.data },
    });
  }

  const contractDeclared = write('contractDeclared', 0, { definition: facts.contract, hash: contract.ref.hash });
  const source = (over?: EventFacts<'sourceCaptured'>) =>
    write('sourceCaptured', 0, { producer: facts.producer, capture: facts.capture, kind: 'note', text: facts.text }, over);

  const story = {
    facts,
    run,
    policy,
    repairRun,
    trigger,
    contract,
    agent,
    idOf,
    contractDeclared,
    agentDeclared: write('agentDeclared', 0, agent),
    policyDeclared: write('policyDeclared', 0, { definition: facts.policy, hash: policyIdentityOf(facts.policy).hash }),
    source,
    started: (over?: EventFacts<'runStarted'>) =>
      write(
        'runStarted',
        1,
        { ...ownRun, role: 'standard', model: facts.model, manifest: { sources: [trigger], promptHash: agent.promptHash } },
        over,
      ),
    produced: (output: JsonValue = observed('original'), over?: EventFacts<'outputProduced'>) =>
      write('outputProduced', 2, { ...ownRun, started: idOf.started, output: output, completion: 'exact' }, over),
    failed: (over?: EventFacts<'runFailed'>) =>
      write('runFailed', 2, { ...ownRun, started: idOf.started, diagnostic: diagnosed(contract) }, over),
    request: (over?: EventFacts<'repairRequested'>) =>
      write(
        'repairRequested',
        2,
        {
          producer: facts.producer,
          run,
          policy: policyIdentityOf(facts.policy),
          failed: idOf.ended,
          started: idOf.started,
          trigger,
          declaration: idOf.declaration,
          agent: agentRefOf(agent),
          contract: contract.ref,
          model: facts.model,
          diagnostic: diagnosed(contract),
        },
        over,
      ),
    claim: (over?: EventFacts<'runStarted'>) =>
      write(
        'runStarted',
        3,
        { ...secondRun, role: 'repair', model: facts.repairModel, manifest: { sources: [trigger] }, claimant: 'claimant_claimant_0001' },
        over,
      ),
    proposal: (output: JsonValue = observed('proposed'), over?: EventFacts<'correctionProposed'>) =>
      write(
        'correctionProposed',
        4,
        {
          run,
          policy,
          request: idOf.request,
          repairRun,
          started: idOf.claim,
          failed: idOf.ended,
          trigger,
          contract: contract.ref,
          original: facts.model,
          repair: facts.repairModel,
          output: output,
        },
        over,
      ),
    repairFailed: (over?: EventFacts<'runFailed'>) =>
      write(
        'runFailed',
        4,
        { ...secondRun, started: idOf.claim, diagnostic: diagnosed(contract, { class: 'abandoned', issues: [], issueCount: 0 }) },
        over,
      ),
    judgment: (link: LinkFacts, said: Said, over: JudgmentFacts = {}) =>
      write(
        'judgmentRecorded',
        5,
        { ...linkData(link, over), supersedes: null, quality: over.quality ?? true, externalExport: over.externalExport ?? true, ...said },
        over,
      ),
    retraction: (link: LinkFacts, retracts: string, over: JudgmentFacts = {}) =>
      write('judgmentRetracted', 5, { ...linkData(link, over), retracts }, over),
    erased: (place: string) => write('erased', 6, { place }),
    /** Where judgments point. */
    output: { kind: 'output', id: idOf.ended } as const,
    proposed: { kind: 'proposal', id: idOf.settlement } as const,
    wholeRun: { kind: 'run', id: run } as const,
  };

  function linkData(link: LinkFacts, { observedAt, action }: JudgmentFacts) {
    const { n, authority, target } = link;
    return {
      run,
      chain: chainIdOf({ authority, target: target.id }),
      n,
      authority,
      target,
      action: action ?? `${authority}-${n}`,
      observedAt: observedAt ?? at(5 + n),
    };
  }

  return {
    ...story,
    /** What every run needs before it starts. */
    declared: [contractDeclared, story.agentDeclared, story.policyDeclared, source()] as const,
    /** A failed run with a proposal, nobody having judged it. */
    repaired: (output?: JsonValue): readonly EncodedEvent[] => [
      contractDeclared,
      story.agentDeclared,
      story.policyDeclared,
      source(),
      story.started(),
      story.failed(),
      story.request(),
      story.claim(),
      story.proposal(output),
    ],
    /** A run with a valid output. */
    answered: (output?: JsonValue): readonly EncodedEvent[] => [
      contractDeclared,
      story.agentDeclared,
      story.policyDeclared,
      source(),
      story.started(),
      story.produced(output),
    ],
    /** One authority's judgments on one target, each naming the one before it. */
    chain: (authority: string, target: JudgmentTarget): ChainStory => new ChainStory(story, authority, target),
  };
}

/** Compiling takes milliseconds, and a random history has many runs. */
const compiledBefore = new WeakMap<OutputContractDefinition, OutputContract>();
function compiled(definition: OutputContractDefinition): OutputContract {
  const contract = compiledBefore.get(definition) ?? compileContract(definition);
  compiledBefore.set(definition, contract);
  return contract;
}

export type RunStory = ReturnType<typeof runStory>;
