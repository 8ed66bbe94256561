import {
  type AgentDeclared,
  agentRefOf,
  type Diagnostic,
  type EventDraft,
  type EventOf,
  eventIdOf,
  type JsonValue,
  joinPrivacy,
  joinSourceClass,
  policyTokenOf,
  type Privacy,
  type Provenance,
  type RepairOf,
  repairRunIdOf,
  type SandboxDigests,
  type SourceClass,
  subjects,
} from '@emend/contracts';
import { diagnosticOf } from './failureCodes.js';

/** The name that this service signs with. */
export const repairAgentName = 'repair-agent';

/** A request and the agent that answers it: all that the events of a repair run have in common. */
export interface Repairing {
  readonly request: EventOf<'repairRequested'>;
  readonly agent: AgentDeclared;
}

export const repairOf = ({ id, data }: EventOf<'repairRequested'>): RepairOf => ({
  request: id,
  run: data.run,
  policy: policyTokenOf(data.policy),
});

/** The two places that hold what becomes of a request. */
export function placesOf(request: EventOf<'repairRequested'>): { readonly claim: string; readonly settlement: string } {
  const { run, policy } = repairOf(request);
  return { claim: subjects.repairStarted({ run, policy }), settlement: subjects.correction({ run, policy }) };
}

/** The closest of the request and the learned adapter of the repair declaration (T95). */
export const privacyOf = ({ request, agent }: Repairing): Privacy =>
  joinPrivacy([request.privacy, ...(agent.learnedAdapter ? [agent.learnedAdapter.privacy] : [])]);

const runOf = ({ request, agent }: Repairing) => ({
  producer: repairAgentName,
  reference: request.id,
  run: repairRunIdOf(request.id),
  trigger: request.subject,
  agent: agentRefOf(agent),
  contract: request.data.contract,
  repair: repairOf(request),
});

/** The claim: the one event whose bytes must differ between writers. */
export function claimDraft(
  of: Repairing,
  claim: {
    readonly claimant: string;
    readonly time: string;
    readonly promptHash: string;
    readonly model: Provenance;
    readonly sandbox: SandboxDigests;
  },
): EventDraft<'runStarted'> {
  const { request } = of;
  return {
    name: 'runStarted',
    source: repairAgentName,
    time: claim.time,
    rootId: request.rootId,
    causationId: request.id,
    privacy: privacyOf(of),
    sourceClass: request.sourceClass,
    data: {
      ...runOf(of),
      role: 'repair',
      model: claim.model,
      manifest: { sources: [request.data.trigger], promptHash: claim.promptHash, sandbox: claim.sandbox },
      claimant: claim.claimant,
    },
  };
}

/** A stored claim as its settlement needs it. */
export interface ClaimFacts {
  readonly time: string;
  readonly model: Provenance;
}

/** One validated output, with the provenance of the original and of the repair apart (T91 to T95). Its time is the claim's. */
export function proposalDraft(
  of: Repairing,
  proposal: { readonly claim: ClaimFacts; readonly output: JsonValue; readonly sourceClass: SourceClass },
): EventDraft<'correctionProposed'> {
  const { request } = of;
  const { run, policy } = repairOf(request);
  const started = eventIdOf(placesOf(request).claim);
  return {
    name: 'correctionProposed',
    source: repairAgentName,
    time: proposal.claim.time,
    rootId: request.rootId,
    causationId: started,
    privacy: privacyOf(of),
    sourceClass: joinSourceClass([request.sourceClass, proposal.sourceClass]),
    data: {
      run,
      policy,
      request: request.id,
      repairRun: repairRunIdOf(request.id),
      started,
      failed: request.data.failed,
      trigger: request.data.trigger,
      contract: request.data.contract,
      original: request.data.model,
      repair: proposal.claim.model,
      output: proposal.output,
    },
  };
}

/**
 * The repair run's one cleaned failure (T87). After a generation its cause is the claim and its time the claim's;
 * before one, or where another delivery's claim is given up, both are the request's, so that two writers write the same bytes.
 */
export function failureDraft(
  of: Repairing,
  failure: { readonly diagnostic: Diagnostic; readonly claimed: boolean; readonly claim?: ClaimFacts },
): EventDraft<'runFailed'> {
  const { request } = of;
  const started = eventIdOf(placesOf(request).claim);
  return {
    name: 'runFailed',
    source: repairAgentName,
    time: failure.claim?.time ?? request.time,
    rootId: request.rootId,
    causationId: failure.claim ? started : request.id,
    privacy: privacyOf(of),
    sourceClass: request.sourceClass,
    data: { ...runOf(of), ...(failure.claimed ? { started } : {}), diagnostic: failure.diagnostic },
  };
}

/** `claimed`: whether a claim was seen. Equal for every writer that saw the same. */
export const abandonedDraft = (of: Repairing, claimed: boolean): EventDraft<'runFailed'> =>
  failureDraft(of, { diagnostic: diagnosticOf('abandoned', of.request.data), claimed });
