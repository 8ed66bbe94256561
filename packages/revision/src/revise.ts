import { chainOf } from './assess.js';
import { type Branch, growBranch } from './branch.js';
import type { CallPort } from './callPort.js';
import { firstCandidates } from './candidate.js';
import type { Exchange } from './conversation.js';
import { type DebugSink, debugRecorder } from './debug.js';
import { checkedBudget } from './settings.js';
import type { RevisionStage } from './stage.js';

/** One reply of a model, and the proposals that were read out of it, in its order. */
export interface ProposedWork<P> {
  readonly exchange: Exchange;
  readonly proposals: readonly P[];
}

export interface RevisionRun {
  /** Of {@link effectiveBudget}. 0: the chain filters, no feedback is collected and no call is made (A115). */
  readonly budget: number;
  /** Of {@link effectiveProfile}; handed to the port as it is. */
  readonly profile: string;
  readonly call: CallPort;
  readonly signal: AbortSignal;
  readonly debug?: DebugSink;
}

export interface Revised<P> {
  /** Nothing of a cancelled stage is applied: what was approved in it is `cancelled`. */
  readonly kind: 'completed' | 'cancelled';
  /** One for each proposal, in their order, however the calls were scheduled (A54). */
  readonly branches: readonly Branch<P>[];
}

/**
 * Takes every proposal through the chain and grows a branch for each that is rejected, all of them at once.
 * How many calls run at the same time is for the port to say (A90).
 *
 * What the host's functions throw is fatal: the other branches are told to stop, and the throw is passed on when all have ended.
 * @throws RevisionError `validator_twice`, `findings_empty`, `budget_invalid`
 */
export async function revise<P, F extends string>(
  stage: RevisionStage<P, F>,
  work: ProposedWork<P>,
  run: RevisionRun,
): Promise<Revised<P>> {
  const { profile, call } = run;
  const stop = new AbortController();
  const context = {
    stage,
    chain: chainOf(stage.chain),
    exchange: work.exchange,
    budget: checkedBudget(run.budget),
    profile,
    call,
    signal: stop.signal,
    record: debugRecorder(run.debug),
  };
  const release = follow(run.signal, stop);
  const growing = firstCandidates(work.proposals).map(async (candidate) => {
    try {
      return await growBranch(context, candidate);
    } catch (error) {
      stop.abort();
      throw error;
    }
  });
  await Promise.allSettled(growing);
  release();
  const branches = await Promise.all(growing);
  return run.signal.aborted ? { kind: 'cancelled', branches: branches.map(cancelled) } : { kind: 'completed', branches };
}

/** Aborts with the signal until it is released. By hand: on Node 20 `AbortSignal.any` keeps a little of each stage for as long as the signal lives. */
function follow(signal: AbortSignal, controller: AbortController): () => void {
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  return () => signal.removeEventListener('abort', abort);
}

const cancelled = <P>(branch: Branch<P>): Branch<P> => (branch.end === 'approved' ? { ...branch, end: 'cancelled' } : branch);
