import {
  canonicalHash,
  checkDiagnostic,
  type EventOf,
  type EventRead,
  eventIdOf,
  joinPrivacy,
  type OutputContract,
  type Provenance,
  repairRunIdOf,
  runIdOf,
  sameContract,
} from '@emend/contracts';
import type { Claimed, Dossier, Failed, Produced, Proposed, Repair, RepairFailed, Requested, Started, Void } from './dossier.js';
import type { FaultCode } from './faults.js';
import type { KnownFacts } from './facts.js';

const isVoid = (code: FaultCode): Void => ({ kind: 'void', code });
const remembered = ({
  id,
  privacy,
  sourceClass,
}: EventOf<'runStarted' | 'outputProduced' | 'runFailed' | 'repairRequested' | 'correctionProposed'>) => ({
  eventId: id,
  privacy,
  sourceClass,
});

type RunEvent = EventOf<'runStarted' | 'outputProduced' | 'runFailed'>;

/** Whether an event proves whose run this is: the run id follows from its producer and reference. */
export function isOfOwnRun(read: EventRead, run: string): boolean {
  if (read.kind !== 'event') return false;
  const { event } = read;
  if (event.name !== 'runStarted' && event.name !== 'outputProduced' && event.name !== 'runFailed') return false;
  return event.data.run === run && hasOwnRunId(event);
}

const hasOwnRunId = ({ data }: RunEvent): boolean => data.run === runIdOf(data);

/** A claim of its own run takes its place whatever else it says; what does not agree shows when eligibility is decided. */
export function startFacts(event: EventOf<'runStarted'>, facts: KnownFacts): Started | Void {
  if (!hasOwnRunId(event)) return isVoid('run_mismatch');
  const { trigger, agent, contract, model } = event.data;
  return {
    kind: 'started',
    ...remembered(event),
    trigger,
    source: facts.source(eventIdOf(trigger)) ?? null,
    rootId: event.rootId,
    agent,
    contract,
    model,
  };
}

/** An output counts where it answers the run's own claim and passes the contract that the claim names (T48, T52). */
export function endFacts(dossier: Dossier, event: EventOf<'outputProduced' | 'runFailed'>, facts: KnownFacts): Produced | Failed | Void {
  if (!hasOwnRunId(event)) return isVoid('run_mismatch');
  if (event.name === 'runFailed') {
    const checked = checkDiagnostic(event.data.diagnostic);
    const diagnostic = checked.kind === 'sanitized' ? checked.diagnostic : null;
    return { kind: 'failed', ...remembered(event), contract: event.data.contract, diagnostic };
  }
  const started = dossier.started;
  if (started?.kind !== 'started' || started.eventId !== event.data.started) return isVoid('started_mismatch');
  if (!sameContract(started.contract, event.data.contract)) return isVoid('contract_mismatch');
  const output = checkOutput(event.data.output, event.data.contract, facts);
  if (output.kind === 'void') return output;
  const { contract, completion, edits = [] } = event.data;
  return { kind: 'produced', ...remembered(event), contract, output: output.text, completion, edits };
}

/** A request counts where it names the run's own claim and failure. */
export function requestFacts(dossier: Dossier, event: EventOf<'repairRequested'>): Requested | Void {
  const { started, ended } = dossier;
  const { data } = event;
  if (ended?.kind !== 'failed' || ended.eventId !== data.failed) return isVoid('failure_mismatch');
  if (started?.kind !== 'started' || started.eventId !== data.started || started.trigger !== data.trigger)
    return isVoid('started_mismatch');
  const agrees = sameContract(started.contract, data.contract) && canonicalHash(started.agent) === canonicalHash(data.agent);
  return agrees ? { kind: 'requested', ...remembered(event) } : isVoid('evidence_mismatch');
}

/** A claim counts as one even where it is void: nobody generates for its request again. */
export function claimFacts(repair: Repair, event: EventOf<'runStarted'>): Claimed | Void {
  if (repair.request?.kind !== 'requested' || repair.request.eventId !== event.data.repair?.request) return isVoid('request_mismatch');
  if (event.data.run !== repairRunIdOf(repair.request.eventId)) return isVoid('repair_run_mismatch');
  return { kind: 'claimed', ...remembered(event), repairRun: event.data.run, model: event.data.model };
}

/** A proposal counts where it answers its request and claim, and passes the contract of the failed run (T91 to T94). */
export function settlementFacts(
  dossier: Dossier,
  repair: Repair,
  event: EventOf<'correctionProposed' | 'runFailed'>,
  facts: KnownFacts,
): Proposed | RepairFailed | Void {
  if (repair.request?.kind !== 'requested') return isVoid('request_mismatch');
  if (event.name === 'runFailed') {
    if (event.data.repair?.request !== repair.request.eventId) return isVoid('request_mismatch');
    const checked = checkDiagnostic(event.data.diagnostic);
    return { kind: 'repair_failed', ...remembered(event), class: checked.kind === 'sanitized' ? checked.diagnostic.class : 'unsanitized' };
  }
  const { data } = event;
  const { started, ended } = dossier;
  if (data.request !== repair.request.eventId) return isVoid('request_mismatch');
  if (repair.claim?.kind !== 'claimed' || repair.claim.eventId !== data.started || repair.claim.repairRun !== data.repairRun) {
    return isVoid('claim_mismatch');
  }
  if (ended?.kind !== 'failed' || ended.eventId !== data.failed) return isVoid('failure_mismatch');
  if (started?.kind !== 'started' || started.trigger !== data.trigger) return isVoid('started_mismatch');
  if (!sameContract(started.contract, data.contract)) return isVoid('contract_mismatch');
  const output = checkOutput(data.output, data.contract, facts);
  if (output.kind === 'void') return output;
  return {
    kind: 'proposed',
    ...remembered(event),
    privacy: joinPrivacy([event.privacy, repair.request.privacy, ...adapterPrivacy(repair.claim.model), ...adapterPrivacy(data.repair)]),
    contract: data.contract,
    output: output.text,
    repairRun: data.repairRun,
    original: data.original,
    repair: data.repair,
  };
}

/** A proposal is at least as private as what its model was taught with (T95). */
const adapterPrivacy = ({ learnedAdapter }: Provenance) => (learnedAdapter ? [learnedAdapter.privacy] : []);

/** The canonical form of an output under a contract of the log, or why it is not one. No similar schema is tried (T49). */
export function checkOutput(
  output: unknown,
  ref: OutputContract['ref'],
  facts: KnownFacts,
): { readonly kind: 'valid'; readonly text: string } | Void {
  const resolved = facts.contract(ref);
  if (resolved.kind !== 'found') return isVoid(resolved.kind === 'unknown' ? 'contract_unknown' : 'contract_hash_differs');
  const checked = resolved.contract.check(output);
  return checked.kind === 'valid' ? checked : isVoid('output_invalid');
}
