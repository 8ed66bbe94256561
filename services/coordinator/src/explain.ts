import { type PolicyDefinition, policyIdentityOf, policyTokenOf, readEvent, subjects } from '@emend/contracts';
import { decideRun } from './decideRun.js';
import type { Reason } from './domain/eligibility.js';
import { policyInForce } from './policyInForce.js';
import type { EventReader } from './ports.js';

export type Explanation =
  | { readonly kind: 'not_ended' }
  | { readonly kind: 'unreadable'; readonly code: string }
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'no_policy' }
  | {
      readonly kind: 'decided';
      readonly policy: string;
      readonly eligible: boolean;
      readonly reasons: readonly Reason[];
      /** Whether a request stands on its place already. */
      readonly requested: boolean;
    };

export interface ExplainDeps {
  readonly reader: EventReader;
  readonly definitions: readonly PolicyDefinition[];
}

/** Why a run got a repair request or none: the same pure decision, asked about one run. Reads only. */
export async function explainRun(
  { reader, definitions }: ExplainDeps,
  stored: { readonly subject: string; readonly sequence: number; readonly bytes: Uint8Array } | null,
): Promise<Explanation> {
  if (stored === null) return { kind: 'not_ended' };
  const read = readEvent(stored);
  if (read.kind !== 'event') return { kind: 'unreadable', code: read.kind === 'void' ? read.code : read.kind };
  if (read.event.name !== 'runFailed') return { kind: 'succeeded' };
  const inForce = await policyInForce({ reader, definitions, before: stored.sequence });
  if (inForce.kind !== 'in_force') return { kind: 'no_policy' };
  const identity = policyIdentityOf(inForce.policy);
  const decision = await decideRun(reader, { sequence: stored.sequence, event: read.event }, inForce.policy);
  if (decision.kind === 'unknown_version' || decision.kind === 'stopped') return { kind: 'unreadable', code: decision.kind };
  const request = await reader.get(subjects.repairRequested({ run: read.event.data.run, policy: policyTokenOf(identity) }));
  return {
    kind: 'decided',
    policy: `${identity.id}@${identity.version}`,
    eligible: decision.kind === 'eligible',
    reasons: decision.kind === 'ineligible' ? decision.reasons : [],
    requested: request !== null,
  };
}
