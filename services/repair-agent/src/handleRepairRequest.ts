import { type GenerateDeps, generateOnce } from '@emend/agents';
import {
  type AgentDeclared,
  canonicalHash,
  encodeEvent,
  type EventOf,
  type EventRead,
  finishMeaning,
  type Provenance,
  readEvent,
  type SandboxDigests,
} from '@emend/contracts';
import type { ChatMessage } from '@emend/model/decisions';
import { appendInHand, notStored } from '@emend/runs';
import { again, type Clock, done, type Outcome, retry, skip, type Timers } from '@emend/runtime';
import type { CompiledContracts } from './domain/compiledContracts.js';
import { type Evidence, judgeEvidence, type RequestInHand } from './domain/evidence.js';
import { diagnosticOf, type FailedCode, type NotGeneratedCode } from './domain/failureCodes.js';
import { renderRepairPrompt } from './domain/repairPrompt.js';
import { abandonedDraft, type ClaimFacts, claimDraft, failureDraft, placesOf } from './domain/repairRun.js';
import { decideRepair, type RepairState, stateOf } from './domain/repairTable.js';
import { admit, type StartPosition } from './domain/startPosition.js';
import type { RepairEvents } from './events.js';
import { type GatherDeps, gatherEvidence } from './gatherEvidence.js';
import { judgeGeneration } from './judgeGeneration.js';
import type { Generation, Incidents } from './ports.js';
import { type SettleDeps, type Settlement, settle } from './settle.js';

/** What answers one request. */
export interface RepairDeps extends GatherDeps, GenerateDeps<Generation, FailedCode, NotGeneratedCode>, SettleDeps {
  readonly events: RepairEvents;
  readonly timers: Timers;
  /** The repair agent's own declaration, as the log holds it. */
  readonly agent: AgentDeclared;
  readonly contracts: CompiledContracts;
  /** What each worker's sandbox is made of: part of every claim. */
  readonly sandbox: SandboxDigests;
  readonly position: StartPosition;
  readonly incidents: Incidents;
  readonly clock: Clock;
  /** 128 random bits in base64url, new for each delivery. */
  readonly newClaimant: () => string;
  /** Until the loser of a race for a claim looks again: longer than a heartbeat, so that a living winner keeps its message. */
  readonly claimLostRetryMs: number;
}

/** What the log delivered. */
export interface DeliveredRequest {
  readonly subject: string;
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

/** One repair request: one claim, at most one generation, one settlement (T84 to T87). */
export async function handleRepairRequest(
  deps: RepairDeps,
  stored: DeliveredRequest,
  context: { readonly signal: AbortSignal },
): Promise<Outcome> {
  const read = readEvent(stored);
  // Never skipped: readers are deployed before writers, and an operator must see that one was not.
  if (read.kind === 'unknown_version') return again('unknown_version');
  if (read.kind === 'tombstone') return skip('erased');
  if (read.kind === 'void' || read.event.name !== 'repairRequested') {
    await deps.incidents.report({ code: 'request_void', subject: stored.subject, sequence: stored.sequence });
    return skip('request_void');
  }
  return new Repair(deps, { sequence: stored.sequence, event: read.event }, context.signal).answer();
}

/** One delivery of one request. */
class Repair {
  readonly #claimant: string;
  readonly #request: EventOf<'repairRequested'>;
  readonly #of: { readonly request: EventOf<'repairRequested'>; readonly agent: AgentDeclared };

  constructor(
    private readonly deps: RepairDeps,
    private readonly inHand: RequestInHand,
    private readonly signal: AbortSignal,
  ) {
    this.#claimant = deps.newClaimant();
    this.#request = inHand.event;
    this.#of = { request: inHand.event, agent: deps.agent };
  }

  async answer(): Promise<Outcome> {
    const step = decideRepair(await this.#look());
    switch (step) {
      case 'nothing':
        return done;
      case 'abandon':
        return this.#settle(abandonedDraft(this.#of, true), 'abandoned');
      // A claimant is new with each delivery, so only an append can tell that a claim is ours.
      case 'generate':
      case 'claim':
        return this.#begin();
      default:
        return step satisfies never;
    }
  }

  async #look(): Promise<RepairState> {
    const places = placesOf(this.#request);
    const [claim, settlement] = await Promise.all([this.deps.reader.get(places.claim), this.deps.reader.get(places.settlement)]);
    return stateOf({ claim: claim?.read ?? null, settlement: settlement?.read ?? null }, this.#claimant);
  }

  /** From a request that nobody has claimed to the claim. */
  async #begin(): Promise<Outcome> {
    const admission = admit(this.inHand.sequence, this.deps.position);
    if (admission === 'leave') return skip('before_start');
    if (admission === 'abandon') return this.#settle(abandonedDraft(this.#of, false), 'abandoned');

    const gathered = await gatherEvidence(this.deps, this.inHand);
    if (gathered.kind === 'stopped') return retry(0, 'stopping');
    if (gathered.kind === 'unknown_version') return again('unknown_version');
    const judged = judgeEvidence(this.inHand, gathered.evidence, this.deps);
    return judged.kind === 'complete' ? this.#claim(judged.evidence) : this.#refuse(judged);
  }

  /** Refused before a claim: the settlement follows from the request alone. */
  async #refuse({
    code,
    reasons,
  }: {
    readonly code: 'evidence_missing' | 'evidence_mismatch';
    readonly reasons: readonly string[];
  }): Promise<Outcome> {
    this.deps.events.evidenceRefused(this.#request.id, code, reasons);
    await this.deps.incidents.report({ code, subject: this.#request.subject, sequence: this.inHand.sequence });
    return this.#settle(failureDraft(this.#of, { diagnostic: diagnosticOf(code, this.#request.data), claimed: false }), code);
  }

  async #claim(evidence: Evidence): Promise<Outcome> {
    const { clock, events, claimLostRetryMs, sandbox } = this.deps;
    const { messages, promptHash } = promptOf(evidence, this.deps.agent);
    const claim: ClaimFacts = { time: new Date(clock.now()).toISOString(), model: this.#provenance() };
    const appended = await appendInHand(
      this.deps,
      encodeEvent(claimDraft(this.#of, { ...claim, claimant: this.#claimant, promptHash, sandbox })),
    );
    switch (appended.kind) {
      case 'appended':
      case 'already':
        events.claimed(this.#request.id, this.#request.data.run);
        return this.#generate(evidence, claim, { messages, promptHash });
      case 'conflict':
        if (decideRepair(this.#stateAfter(appended.existing)) === 'generate')
          return this.#generate(evidence, claim, { messages, promptHash });
        // The winner stood there a moment ago, so it is not given up at once. The next delivery looks at the table again.
        events.claimLost(this.#request.id);
        return retry(claimLostRetryMs, 'claim_lost');
      case 'full':
      case 'unknown':
        return notStored(appended.kind, 'claim');
      default:
        return appended satisfies never;
    }
  }

  #stateAfter(claim: EventRead): RepairState {
    return stateOf({ claim, settlement: null }, this.#claimant);
  }

  /** The model is called here and nowhere else, by the process whose claimant is stored. */
  async #generate(
    evidence: Evidence,
    claim: ClaimFacts,
    prompt: { readonly messages: readonly ChatMessage[]; readonly promptHash: string },
  ): Promise<Outcome> {
    const { ref, schema } = evidence.contract;
    const end = await generateOnce(this.deps, {
      ...prompt,
      id: this.#request.id,
      trigger: this.#request.data.trigger,
      contract: { name: `${ref.id}@${ref.version}`, schema },
      limits: this.deps.agent.limits,
      signal: this.signal,
    });
    if (end.kind === 'generated' && finishMeaning(end.finishReason) === 'unknown') this.deps.events.finishReasonUnknown(this.#request.id);
    const { draft, code } = judgeGeneration(this.#of, { evidence, claim, end });
    return this.#settle(draft, code);
  }

  #settle(draft: Settlement, code: string): Promise<Outcome> {
    return settle(this.deps, { draft, code });
  }

  #provenance(): Provenance {
    return { ...this.deps.generator.identity, learnedAdapter: this.deps.agent.learnedAdapter };
  }
}

function promptOf({ declaration, contract, source, diagnostic }: Evidence, agent: AgentDeclared) {
  const messages = renderRepairPrompt({
    repositoryPrompt: declaration.prompt,
    contractPrompt: contract.promptDescription,
    instruction: agent.prompt,
    source: { eventId: source.id, text: source.data.text },
    issues: diagnostic.issues,
  });
  return { messages, promptHash: canonicalHash(messages) };
}
