import { type EventOf, readEvent } from '@emend/contracts';
import { answerTrigger } from '@emend/runs';
import { again, done, type Outcome, skip } from '@emend/runtime';
import { mayClaimAt } from './domain/startPosition.js';
import { fitsAny } from './domain/subscriptions.js';
import { Generating } from './generating.js';
import type { RunnerDeps, RunningAgent, SourceInHand } from './runnerDeps.js';

/** What the log delivered. */
export interface DeliveredTrigger {
  readonly subject: string;
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

/** One source and every declaration whose subscriptions it fits: one answer of each, one after the other. */
export async function handleTrigger(
  deps: RunnerDeps,
  stored: DeliveredTrigger,
  { signal }: { readonly signal: AbortSignal },
): Promise<Outcome> {
  const mayClaim = mayClaimAt(stored.sequence, deps.startSequence);
  const outcome = await forEachAgent(deps, stored, (source, agent) => answerSource(deps, { source, agent, signal, mayClaim }));
  return outcome.kind === 'done' && !mayClaim ? skip('before_start') : outcome;
}

/** A source that came back too often: nobody claims for it any more, and a claim that was left is given up. */
export async function setAsideTrigger(deps: RunnerDeps, stored: DeliveredTrigger): Promise<Outcome> {
  deps.events.triggerSetAside(stored.subject, stored.sequence);
  const { signal } = new AbortController();
  return forEachAgent(deps, stored, (source, agent) => answerSource(deps, { source, agent, signal, mayClaim: false }));
}

type AnswerOne = (source: EventOf<'sourceCaptured'>, agent: RunningAgent) => Promise<Outcome>;

async function forEachAgent({ agents }: RunnerDeps, stored: DeliveredTrigger, answer: AnswerOne): Promise<Outcome> {
  const read = readEvent(stored);
  // Never skipped: readers are deployed before writers, and an operator must see that one was not.
  if (read.kind === 'unknown_version') return again('unknown_version');
  if (read.kind === 'tombstone') return skip('erased');
  if (read.kind === 'void' || read.event.name !== 'sourceCaptured') return skip('trigger_void');
  const fitting = agents.filter(({ agent }) => fitsAny(agent.subscriptions, stored.subject));
  if (fitting.length === 0) return skip('not_subscribed');
  for (const agent of fitting) {
    const outcome = await answer(read.event, agent);
    if (outcome.kind !== 'done') return outcome;
  }
  return done;
}

/** One answer of one declaration to one source, as a standard run. */
const answerSource = (deps: RunnerDeps, inHand: SourceInHand): Promise<Outcome> => {
  const { source, agent, mayClaim } = inHand;
  return answerTrigger(deps, { source, agent: agent.agent, mayClaim }, new Generating(deps, inHand));
};
