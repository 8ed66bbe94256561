import { type PolicyDefinition, readEvent } from '@emend/contracts';
import { again, done, type Outcome, retry, skip, stop } from '@emend/runtime';
import { decideRun } from './decideRun.js';
import type { CoordinatorEvents } from './events.js';
import { policyInForce } from './policyInForce.js';
import type { EventReader, RequestAppender } from './ports.js';

/** Until another replica, or this one after a restart, knows the newer policy. */
export const otherReplicaDelayMs = 30_000;

export interface RunEndedDeps {
  readonly reader: EventReader;
  readonly requests: RequestAppender;
  readonly definitions: readonly PolicyDefinition[];
  readonly events: CoordinatorEvents;
}

/** One ended run: at most one repair request for it and the policy in force (T10). Handling it again finds the row that is there (T12). */
export async function handleRunEnded(
  deps: RunEndedDeps,
  stored: { readonly subject: string; readonly sequence: number; readonly bytes: Uint8Array },
): Promise<Outcome> {
  const read = readEvent(stored);
  if (read.kind === 'unknown_version') return again('unknown_version');
  if (read.kind === 'tombstone') return skip('erased');
  // The projector reports void events; here they only have no effect.
  if (read.kind === 'void') return skip(`void_${read.code}`);
  if (read.event.name === 'outputProduced') return skip('run_succeeded');
  if (read.event.name !== 'runFailed') return skip('not_a_run_end');

  const ended = { sequence: stored.sequence, event: read.event };
  const inForce = await policyInForce({ reader: deps.reader, definitions: deps.definitions, before: stored.sequence });
  if (inForce.kind === 'not_mine') return retry(otherReplicaDelayMs, 'policy_not_mine');
  if (inForce.kind === 'differs') return stop('policy_definition_changed');
  if (inForce.kind === 'none') return skip('no_policy_in_force');

  const decision = await decideRun(deps.reader, ended, inForce.policy);
  if (decision.kind === 'unknown_version') return again('unknown_version');
  if (decision.kind === 'stopped') return retry(0, 'stopping');
  if (decision.kind === 'ineligible') {
    deps.events.ineligible(read.event.data.run, decision.reasons);
    return skip('ineligible');
  }
  const outcome = await deps.requests.append(decision.request);
  deps.events.requested(read.event.data.run, decision.request.id, outcome);
  return outcomeOf(outcome);
}

function outcomeOf(appended: Awaited<ReturnType<RequestAppender['append']>>): Outcome {
  switch (appended) {
    case 'appended':
    case 'already':
      return done;
    case 'conflict':
      // The first stored wins, for every reader alike; the incident was recorded with it.
      return skip('request_conflict');
    case 'full':
      return stop('log_full');
    case 'unknown':
      // The same bytes again, from the same evidence: no delivery is spent on a broker that is slow.
      return again('append_unknown');
    default:
      return appended satisfies never;
  }
}
