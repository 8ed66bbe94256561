import { canonicalText, hashToken } from './canonical.js';
import type { PolicyIdentity } from './policy.js';

/** The id of the event on a place: the place names the event. */
export const eventIdOf = (subject: string): string => hashToken(subject);

/** A run id, from the producer's name and the producer's own reference for the run. */
export const runIdOf = (run: { readonly producer: string; readonly reference: string }): string =>
  hashToken(canonicalText([run.producer, run.reference]));

/** The key token of a policy: a hash over its whole identity, so that (run, policy) is the idempotency key of T11. */
export const policyTokenOf = (identity: PolicyIdentity): string => hashToken(canonicalText([identity.id, identity.version, identity.hash]));

/** The chain of one authority's judgments on one target. */
export const chainIdOf = (chain: { readonly authority: string; readonly target: string }): string =>
  hashToken(canonicalText([chain.authority, chain.target]));

/** The run id of the one repair run that a request permits. */
export const repairRunIdOf = (requestId: string): string => runIdOf({ producer: 'repair-agent', reference: requestId });

/** A run as a person names it: by its id, or as `producer/reference`. Null where the text is neither. */
export function runNamed(text: string): string | null {
  const named = /^([A-Za-z0-9_-]{1,64})\/(.{1,256})$/.exec(text);
  if (named) return runIdOf({ producer: named[1] ?? '', reference: named[2] ?? '' });
  return /^[A-Za-z0-9_-]{22}$/.test(text) ? text : null;
}
