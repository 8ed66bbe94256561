import { readEvent } from '@emend/contracts';
import { again, done, type Outcome, retry } from '@emend/runtime';
import { otherReplicaDelayMs, type RunEndedDeps } from './handleRunEnded.js';
import { policyInForce } from './policyInForce.js';
import type { Incidents } from './ports.js';

export interface SetAsideDeps extends Pick<RunEndedDeps, 'reader' | 'definitions'> {
  readonly incidents: Incidents;
}

/**
 * An ended run that came back too often. What a newer writer wrote, or a newer policy decides, is not this replica's to set
 * aside: it waits, or goes to another. Everything else leaves an incident, and a scan finds the run.
 */
export async function setAsideRunEnded(
  { reader, definitions, incidents }: SetAsideDeps,
  stored: { readonly subject: string; readonly sequence: number; readonly bytes: Uint8Array },
  why: { readonly code: string; readonly deliveries: number },
): Promise<Outcome> {
  if (readEvent(stored).kind === 'unknown_version') return again('unknown_version');
  const inForce = await policyInForce({ reader, definitions, before: stored.sequence });
  if (inForce.kind === 'not_mine') return retry(otherReplicaDelayMs, 'policy_not_mine');
  await incidents.raise({ ...why, subject: stored.subject, sequence: stored.sequence });
  return done;
}
