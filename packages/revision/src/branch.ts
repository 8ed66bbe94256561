import { type Assessed, assess, notAssessed } from './assess.js';
import { type BranchEnd, type BranchNews, decideBranch } from './branchTable.js';
import type { CallPort } from './callPort.js';
import { type Candidate, revisionOf } from './candidate.js';
import { conversationOf, type Exchange, type Turn } from './conversation.js';
import type { DebugEntry } from './debug.js';
import type { Reply, ReplyFault } from './reply.js';
import { nothingSpent, type Spent, withCall } from './spent.js';
import type { Feedback, RevisionStage } from './stage.js';
import type { Finding, Validator } from './validator.js';
import { verdictOf } from './verdict.js';

/** How one proposal came out, before anything is applied. */
export interface Branch<P> {
  /** The last version; its lineage names the proposal. */
  readonly candidate: Candidate<P>;
  readonly end: BranchEnd;
  /** What was unavailable or unusable, else null. */
  readonly code: string | null;
  /** What is held against the last version. */
  readonly findings: readonly Finding[];
  readonly spent: Spent;
}

/** What all branches of one reply share. */
export interface BranchContext<P, F extends string> {
  readonly stage: RevisionStage<P, F>;
  /** The stage's, in the order in which it runs. */
  readonly chain: readonly Validator<P, F>[];
  readonly exchange: Exchange;
  readonly budget: number;
  readonly profile: string;
  readonly call: CallPort;
  readonly signal: AbortSignal;
  readonly record: (entry: DebugEntry) => void;
}

/** One branch between two steps. It lives in memory and is dropped with its stage (A58 to A60). */
interface BranchState<P> {
  readonly first: Candidate<P>;
  readonly current: Candidate<P>;
  readonly assessed: Assessed;
  readonly turns: readonly Turn[];
  readonly replyFault: ReplyFault | null;
  readonly spent: Spent;
}

interface Step<P> {
  readonly state: BranchState<P>;
  readonly news: BranchNews;
  readonly code?: string;
}

/** One proposal from its first assessment to its end. What the host throws passes through, unless the stage was cancelled before. */
export async function growBranch<P, F extends string>(context: BranchContext<P, F>, first: Candidate<P>): Promise<Branch<P>> {
  let step = await assessing(context, { first, current: first, assessed: notAssessed, turns: [], replyFault: null, spent: nothingSpent });
  for (;;) {
    const { next } = decideBranch(step.news, context.budget - step.state.spent.attempts);
    if (next !== 'ask') return ended(step, next);
    step = await asking(context, step.state);
  }
}

function ended<P>({ state, code }: Step<P>, end: BranchEnd): Branch<P> {
  return { candidate: state.current, end, code: code ?? null, findings: state.assessed.findings, spent: state.spent };
}

async function assessing<P, F extends string>(
  { stage, chain, budget, signal, record }: BranchContext<P, F>,
  state: BranchState<P>,
): Promise<Step<P>> {
  const { current } = state;
  const scope = { facts: stage.factsOf(current.proposal), collectsAll: budget > 0, signal };
  const assessed = await unlessCancelled(signal, () => assess(chain, current, scope));
  if (assessed === null || signal.aborted) return { state, news: 'cancelled' };
  record({ kind: 'assessed', lineage: current.lineage, ...assessed });
  const news = verdictOf(assessed);
  return { state: { ...state, assessed }, news, ...(news === 'unavailable' && { code: assessed.unavailable[0]?.code ?? 'unjudged' }) };
}

async function asking<P, F extends string>(context: BranchContext<P, F>, before: BranchState<P>): Promise<Step<P>> {
  const { stage, exchange, profile, call, signal, record } = context;
  if (signal.aborted) return { state: before, news: 'cancelled' };
  const instruction = stage.instruction(feedbackOf(before));
  const messages = conversationOf(exchange, before.turns, instruction);
  const answer = await unlessCancelled(signal, () => call({ messages, schema: stage.reply.schema, profile, signal }));
  const state = { ...before, spent: withCall(before.spent, answer) };
  if (answer === null || signal.aborted) return { state, news: 'cancelled' };

  const asked = { kind: 'asked', lineage: state.current.lineage, attempt: state.spent.attempts, messages } as const;
  if (answer.kind === 'failed') {
    record({ ...asked, reply: null, code: answer.code });
    return { state, news: 'call_failed', code: answer.code };
  }
  const reply = stage.reply.read(answer.text, state.first.lineage.root);
  // A structural repair is no turn: the model is shown its own words (A56).
  const received = answer.received ?? answer.text;
  record({ ...asked, reply: received, code: reply.kind === 'unusable' ? reply.code : null });
  return following(context, { ...state, turns: [...state.turns, { instruction, reply: received }] }, reply);
}

/** A reply concerns the proposal that was asked about, or it brings nothing in (A45, A101). */
async function following<P, F extends string>(context: BranchContext<P, F>, state: BranchState<P>, reply: Reply): Promise<Step<P>> {
  switch (reply.kind) {
    case 'withdraw':
      return { state, news: 'withdrawn' };
    case 'unusable':
      return { state: { ...state, replyFault: reply.code }, news: 'unusable', code: reply.code };
    case 'revise': {
      // Nothing that was said of an earlier version counts for this one (A35, A100).
      const current = revisionOf(state.current, context.stage.proposalOf(reply.correction));
      return assessing(context, { ...state, current, assessed: notAssessed, replyFault: null });
    }
  }
}

function feedbackOf<P>({ first, current, assessed, replyFault }: BranchState<P>): Feedback<P> {
  const { root, version } = current.lineage;
  const { findings, unavailable } = assessed;
  return { ref: root, version, firstProposed: first.proposal, proposed: current.proposal, findings, unavailable, replyFault };
}

/** What the work came to, or null where it threw because it was told to stop. Any other throw is a fault of the program. */
async function unlessCancelled<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}
