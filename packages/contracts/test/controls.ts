import {
  type AgentWritten,
  type CapturedTranscript,
  agentRefOf,
  chainIdOf,
  compileContract,
  declareAgent,
  type Diagnostic,
  type EventDraft,
  type EventName,
  eventIdOf,
  observation,
  outputRepairPolicy,
  type Provenance,
  policyIdentityOf,
  policyTokenOf,
  repairRunIdOf,
  runIdOf,
  subjects,
  type TranscriptOutput,
  transcriptCorrection,
} from '../src/index.js';

/** One good draft of every event type: one failed run with its repair and a judgment, told from start to end. */

export const contract = compileContract(observation);

export const agentWritten: AgentWritten = {
  id: 'notes.observer',
  version: 1,
  role: 'standard',
  tier: 'small',
  subscriptions: ['stream.thought.source.note.captured'],
  contract: contract.ref,
  prompt: 'Say what was observed.',
  outputPrivacy: 'public',
  learnedAdapter: null,
  limits: { outputTokensMax: 1_024, generationMs: 60_000 },
  enabled: true,
};
export const agent = declareAgent(agentWritten);

export const original: Provenance = {
  provider: 'example',
  model: 'small-1',
  executionAdapter: 'pi@1',
  learnedAdapter: null,
  catalog: { digest: 'c'.repeat(64), generation: 3 },
};
export const escalated: Provenance = {
  ...original,
  model: 'large-1',
  learnedAdapter: { id: 'tuned', privacy: 'sensitive', exportPolicy: 'allowed' },
};

export const output = {
  title: 'Low tide at nine',
  summary: 'The gauge fell.',
  tags: ['tide'],
  confidence: 0.9,
  evidence: [{ eventId: 'e1', quote: 'fell to 0.4 m' }],
};

export const diagnostic: Diagnostic = {
  class: 'contract_violation',
  contract: contract.ref,
  issues: [{ code: 'required', path: '/summary' }],
  issueCount: 1,
  candidateBytes: 214,
};

const policy = policyIdentityOf(outputRepairPolicy);
const policyToken = policyTokenOf(policy);
const trigger = subjects.source({ kind: 'note', producer: 'notes', capture: 'n-1' });
const rootId = eventIdOf(trigger);
const run = runIdOf({ producer: 'notes', reference: 'n-1/1' });
const started = eventIdOf(subjects.runStarted({ producer: 'notes', run }));
const ended = eventIdOf(subjects.runEnded({ producer: 'notes', run }));
const request = eventIdOf(subjects.repairRequested({ run, policy: policyToken }));
const claim = eventIdOf(subjects.repairStarted({ run, policy: policyToken }));
const proposal = eventIdOf(subjects.correction({ run, policy: policyToken }));
const chain = chainIdOf({ authority: 'anna', target: proposal });

const envelope = { source: 'notes', time: '2026-01-02T03:04:05.678Z', privacy: 'public', sourceClass: 'public-source' } as const;
const runFields = { producer: 'notes', reference: 'n-1/1', run, trigger, agent: agentRefOf(agent), contract: contract.ref };
const repairFields = {
  producer: 'repair-agent',
  reference: request,
  run: repairRunIdOf(request),
  trigger,
  agent: agentRefOf(agent),
  contract: contract.ref,
  repair: { request, run, policy: policyToken },
};
const link = {
  run,
  chain,
  n: 1,
  authority: 'anna',
  target: { kind: 'proposal' as const, id: proposal },
  action: 'a-1',
  observedAt: '2026-01-02T04:00:00.000Z',
};

/** A transcript as it is captured, and what came of it; once in the event and once beside it. */
const object = { bucket: 'transcripts', name: `${rootId}.${'d'.repeat(64)}`, hash: 'd'.repeat(64), bytes: 400_000 };
export const capturedInline: CapturedTranscript = {
  language: 'en',
  glossary: ['Tidewater'],
  protectedTerms: ['NOAA'],
  body: {
    segments: [
      { speaker: 'Anna', startMs: 0, endMs: 1_800, text: 'the tide water gage fell' },
      { speaker: null, startMs: null, endMs: null, text: 'um at nine' },
    ],
  },
};
export const capturedBeside: CapturedTranscript = { body: { object, segments: 2_000 } };
const unit = { stage: 'glossary', section: 1 };
const tally = { calls: 4, transportRetries: 1, structuralRepairs: 0, repairedReplies: 2, promptTokens: 900, completionTokens: null };
const calls = { proposals: tally, decisions: tally, revisions: { ...tally, calls: 0 } };
export const correctedInline: TranscriptOutput = {
  language: 'en',
  report: {
    sections: 1,
    proposed: 2,
    applied: 1,
    dispositions: { approved_applied: 1, withdrawn: 1 },
    calls,
    repairOutcomes: [
      {
        ...unit,
        stage: 'grammar',
        proposal: 'p1',
        applied: false,
        disposition: 'withdrawn',
        code: null,
        attempts: 1,
        structuralRepairs: 0,
        transportRetries: 0,
        usage: [{ promptTokens: 210, completionTokens: null }],
      },
    ],
    notApplied: [{ ...unit, proposal: 'p2', code: 'conflict' }],
  },
  body: {
    segments: [
      { speaker: 'Anna', startMs: 0, endMs: 1_800, text: 'the Tidewater gage fell' },
      { speaker: null, startMs: null, endMs: null, text: '' },
    ],
    corrections: [
      { ...unit, proposal: 'p1', version: 2, segment: 's1', original: 'tide water', replacement: 'Tidewater', reason: 'listed' },
    ],
  },
};
export const correctedBeside: TranscriptOutput = {
  language: null,
  report: { sections: 80, proposed: 900, applied: 500, dispositions: { exhausted: 400, approved_applied: 500 }, calls },
  body: { object, segments: 2_000, corrections: 500 },
};

export type Drafts = { readonly [Name in EventName]: EventDraft<Name> };

export const drafts: Drafts = {
  sourceCaptured: {
    ...envelope,
    name: 'sourceCaptured',
    data: { producer: 'notes', capture: 'n-1', kind: 'note', text: 'At nine the gauge fell to 0.4 m — Ebbe. 🌊' },
  },
  contractDeclared: { ...envelope, name: 'contractDeclared', data: { definition: observation, hash: contract.ref.hash } },
  agentDeclared: { ...envelope, name: 'agentDeclared', data: agent },
  policyDeclared: { ...envelope, name: 'policyDeclared', data: { definition: outputRepairPolicy, hash: policy.hash } },
  runStarted: {
    ...envelope,
    name: 'runStarted',
    rootId,
    causationId: rootId,
    data: {
      ...runFields,
      role: 'standard',
      model: original,
      manifest: { sources: [trigger], promptHash: agent.promptHash },
      claimant: 'AAAAAAAAAAAAAAAAAAAAAA',
    },
  },
  outputProduced: {
    ...envelope,
    name: 'outputProduced',
    rootId,
    causationId: started,
    data: { ...runFields, started, output, completion: 'exact' },
  },
  runFailed: { ...envelope, name: 'runFailed', rootId, causationId: started, data: { ...runFields, started, diagnostic } },
  repairRequested: {
    ...envelope,
    name: 'repairRequested',
    source: 'coordinator',
    rootId,
    causationId: ended,
    data: {
      producer: 'notes',
      run,
      policy,
      failed: ended,
      started,
      trigger,
      declaration: eventIdOf(subjects.agent(agent)),
      agent: agentRefOf(agent),
      contract: contract.ref,
      model: original,
      diagnostic,
    },
  },
  correctionProposed: {
    ...envelope,
    name: 'correctionProposed',
    source: 'repair-agent',
    rootId,
    causationId: claim,
    privacy: 'sensitive',
    data: {
      run,
      policy: policyToken,
      request,
      repairRun: repairRunIdOf(request),
      started: claim,
      failed: ended,
      trigger,
      contract: contract.ref,
      original,
      repair: escalated,
      output,
    },
  },
  transcriptCorrected: {
    ...envelope,
    name: 'transcriptCorrected',
    source: 'transcripts',
    rootId,
    causationId: ended,
    data: { ...correctedInline, producer: 'notes', run, trigger, ended, contract: compileContract(transcriptCorrection).ref },
  },
  judgmentRecorded: {
    ...envelope,
    name: 'judgmentRecorded',
    source: 'judgments',
    rootId,
    causationId: proposal,
    data: { ...link, verdict: 'accept', supersedes: null, quality: true, externalExport: false },
  },
  judgmentRetracted: {
    ...envelope,
    name: 'judgmentRetracted',
    source: 'judgments',
    rootId,
    data: { ...link, n: 2, retracts: eventIdOf(subjects.judgment({ run, chain, n: 1 })) },
  },
  erased: { ...envelope, name: 'erased', source: 'erase', rootId, data: { place: trigger } },
};

/** A source that is a transcript. */
export const transcriptCaptured: EventDraft<'sourceCaptured'> = {
  ...drafts.sourceCaptured,
  data: {
    producer: 'notes',
    capture: 't-1',
    kind: 'transcript',
    text: 'the tide water gage fell\num at nine',
    transcript: capturedInline,
  },
};

/** The two events of a repair run that stand on other places than those of a run of its own. */
export const repairStarted: EventDraft<'runStarted'> = {
  ...drafts.runStarted,
  source: 'repair-agent',
  causationId: request,
  data: { ...repairFields, role: 'repair', model: escalated, manifest: { sources: [trigger] }, claimant: 'BBBBBBBBBBBBBBBBBBBBBB' },
};
export const repairFailed: EventDraft<'runFailed'> = {
  ...drafts.runFailed,
  source: 'repair-agent',
  causationId: claim,
  data: { ...repairFields, started: claim, diagnostic },
};

export const allDrafts: readonly (readonly [string, EventDraft<EventName>])[] = [
  ...Object.entries(drafts),
  ['sourceCaptured of a transcript', transcriptCaptured],
  ['runStarted of a repair', repairStarted],
  ['runFailed of a repair', repairFailed],
];
