import { type PolicyDefinition, policyIdentityOf, subjects } from '@emend/contracts';
import type { EventReader, PlacedEvent } from './ports.js';

export type PolicyInForce =
  | { readonly kind: 'in_force'; readonly policy: PolicyDefinition }
  /** A newer policy was declared before the end, and this replica has no definition of it: another one decides. */
  | { readonly kind: 'not_mine' }
  /** None was declared before the end of the run. */
  | { readonly kind: 'none' }
  /** The declared definition of the newest version is not the one that this replica has: it must not decide. */
  | { readonly kind: 'differs' };

export interface PolicyReading {
  readonly reader: EventReader;
  /** The definitions that this replica has, all of one policy id, oldest first. */
  readonly definitions: readonly PolicyDefinition[];
  /** The sequence of the run's end. */
  readonly before: number;
}

/** The newest policy that was declared before a run ended. The same on every replica and on every repetition. */
export async function policyInForce({ reader, definitions, before }: PolicyReading): Promise<PolicyInForce> {
  const newest = definitions.at(-1);
  if (newest === undefined) return { kind: 'none' };
  const beyond = await reader.get(subjects.policy({ id: newest.id, version: newest.version + 1 }));
  if (beyond !== null && beyond.sequence < before) return { kind: 'not_mine' };
  for (const policy of definitions.toReversed()) {
    const declared = await reader.get(subjects.policy(policy));
    if (declared === null || declared.sequence >= before || declared.read.kind !== 'event') continue;
    return isSame(declared, policy) ? { kind: 'in_force', policy } : { kind: 'differs' };
  }
  return { kind: 'none' };
}

/** Versions whose declared definition is not the one this replica has: it must not start. */
export async function differingPolicies(reader: EventReader, definitions: readonly PolicyDefinition[]): Promise<readonly string[]> {
  const differing: string[] = [];
  for (const policy of definitions) {
    const declared = await reader.get(subjects.policy(policy));
    if (declared?.read.kind === 'event' && !isSame(declared, policy)) differing.push(`${policy.id}@${policy.version}`);
  }
  return differing;
}

function isSame({ read }: PlacedEvent, policy: PolicyDefinition): boolean {
  return read.kind === 'event' && read.event.name === 'policyDeclared' && read.event.data.hash === policyIdentityOf(policy).hash;
}
