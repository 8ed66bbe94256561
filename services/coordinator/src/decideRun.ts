import { type EncodedEvent, encodeEvent, type PolicyDefinition } from '@emend/contracts';
import { decideEligibility, type Reason } from './domain/eligibility.js';
import { assembleEvidence, type GatheredFacts } from './domain/evidence.js';
import { gatherFacts } from './gatherFacts.js';
import type { EventReader } from './ports.js';

export type RunDecision =
  | { readonly kind: 'eligible'; readonly request: EncodedEvent }
  | { readonly kind: 'ineligible'; readonly reasons: readonly Reason[] }
  | { readonly kind: 'unknown_version' }
  | { readonly kind: 'stopped' };

/** What live handling, the scan and `explain` all do: gather, assemble, decide. Reads only; the caller appends. */
export async function decideRun(reader: EventReader, ended: GatheredFacts['ended'], policy: PolicyDefinition): Promise<RunDecision> {
  const gathered = await gatherFacts(reader, ended);
  if (gathered.kind !== 'gathered') return gathered;
  const decision = decideEligibility(assembleEvidence(gathered.facts), policy);
  return decision.kind === 'eligible' ? { kind: 'eligible', request: encodeEvent(decision.request) } : decision;
}
