import type { OutputRepairEvent, OutputRepairUsage } from '@emend/contracts';
import type { Model, ModelAnswer } from '@emend/model';
import type { OutputRepairCandidate } from './candidate.js';
import type { CompletionProtocol } from './completionProtocol.js';
import { judgeOverseer, type OverseerJudged } from './overseerAnswer.js';
import { callOf } from './primaryCall.js';
import { repairRequest } from './repairRequest.js';
import { harmless, type OutputRepairSink } from './repairTrace.js';
import type { Call, Invocation, InvocationRequest, Invoked, Malformed, Turn } from './turn.js';

/** Overseer calls for one primary invocation (O2, O25). A constant: the budget of semantic attempts is another number. */
export const MAX_OUTPUT_REPAIR_ATTEMPTS_PER_INVOCATION = 1;

export interface RepairingOptions {
  /** The model that repairs: the originating one, or another on the same credentials (O22–O24). Called directly, so that a repair cannot be repaired. */
  readonly model: Model;
  /** The protocol of the primary: one authority for both. */
  readonly protocol: CompletionProtocol;
  readonly trace?: OutputRepairSink | undefined;
}

type Repairable = Malformed & { readonly candidate: OutputRepairCandidate };

/**
 * The bounded overseer around an invocation (O8). Where the primary's output is malformed and has a candidate, one call is made to repair it;
 * a repair that does not succeed in every respect gives the primary's own turn back, the same object (O18). Cancellation wins (O34).
 */
export function repairing(primary: Invocation, options: RepairingOptions): Invocation {
  const trace = harmless(options.trace);
  return {
    async invoke(request) {
      const invoked = await primary.invoke(request);
      const { turn } = invoked;
      if (!isRepairable(turn)) return invoked;
      // Nothing was started, so there is nothing to close in the trace.
      if (request.signal.aborted) return { ...invoked, turn: cancelled };
      return oversee({ options, trace, request, turn }, invoked);
    },
  };
}

const cancelled: Turn = { kind: 'cancelled' };

const isRepairable = (turn: Turn): turn is Repairable => turn.kind === 'malformed' && turn.candidate !== null;

interface Overseeing {
  readonly options: RepairingOptions;
  readonly trace: (event: OutputRepairEvent) => void;
  readonly request: InvocationRequest;
  readonly turn: Repairable;
}

/** One started event, one call, one event that ends it. */
async function oversee({ options, trace, request, turn }: Overseeing, { calls }: Invoked): Promise<Invoked> {
  const facts = factsOf(options, request, turn);
  trace({ kind: 'started', ...facts });
  const { judged, call } = await callOverseer(options, request, turn);
  const usage = usageOf(call);
  if (judged.kind === 'overseen') trace({ kind: 'succeeded', ...facts, usage });
  else trace({ kind: 'failed', ...facts, usage, reason: judged.reason });
  return { turn: outcomeOf(judged, turn), calls: [...calls, call] };
}

async function callOverseer({ model, protocol }: RepairingOptions, { limits, signal }: InvocationRequest, turn: Repairable) {
  try {
    const request = { ...repairRequest(turn, protocol.contract), limits, signal };
    const answer = await orAborted(model.generate(request), signal);
    // Asked once more after the answer: a success that comes with the cancellation is dropped.
    const judged = answer === null || signal.aborted ? gaveUp : judgeOverseer(protocol, turn.candidate, answer);
    return { judged, call: callOf('overseer', model, answer) };
  } catch {
    // What was thrown may quote the request. A fault of the repair is never the caller's to see.
    return { judged: signal.aborted ? gaveUp : broken, call: callOf('overseer', model, null) };
  }
}

const gaveUp: OverseerJudged = { kind: 'refused', reason: 'cancelled' };
const broken: OverseerJudged = { kind: 'refused', reason: 'call_failed' };

/** The answer, or null as soon as the caller gives up, however long the model goes on. */
async function orAborted(answer: Promise<ModelAnswer>, signal: AbortSignal): Promise<ModelAnswer | null> {
  const settled = new AbortController();
  const aborted = new Promise<null>((resolve) => {
    // A signal that aborted while the call was being made tells nobody again.
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { signal: settled.signal });
  });
  try {
    return await Promise.race([aborted, answer]);
  } finally {
    settled.abort();
  }
}

function outcomeOf(judged: OverseerJudged, primary: Repairable): Turn {
  if (judged.kind === 'overseen') return judged.completed;
  return judged.reason === 'cancelled' ? cancelled : primary;
}

function factsOf({ model }: RepairingOptions, { invocation, run }: InvocationRequest, { diagnostic, candidate }: Repairable) {
  const issueCodes = [...new Set(diagnostic.issues.map(({ code }) => code))];
  return { invocation, ...(run === undefined ? {} : { run }), model: model.identity.model, bytes: candidate.bytes, issueCodes };
}

const usageOf = ({ usage: { promptTokens, completionTokens } }: Call): OutputRepairUsage => ({ promptTokens, completionTokens });
