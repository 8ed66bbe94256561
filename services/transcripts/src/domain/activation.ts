import { type AgentDeclared, agentIsIntact, type ContractRef, canonicalHash, type EventRead, sameContract } from '@emend/contracts';

/** What an activation makes of the process. `ok` is its component `activation` on /health, which also has the reason. */
export const outcomes = {
  disabled: { ok: true, logs: 'transcripts.disabled', sentence: 'Loads, is healthy and consumes nothing.' },
  ready: { ok: true, logs: 'transcripts.wired', sentence: 'Consumes transcripts.' },
  refuses: { ok: false, logs: 'transcripts.refused', sentence: 'Exits with code 3.' },
} as const;

/** Why the service is disabled. */
export const disabledReasons = { not_enabled: 'EMEND_TRANSCRIPTS_ENABLED is not `true`.' } as const;

/** Why an enabled service does not start, beside what its settings, prompts and models are refused for. */
export const refusals = {
  declaration_missing: 'The log has no declaration under the name that EMEND_TRANSCRIPTS_AGENT gives.',
  declaration_unreadable: 'What stands on the place of the declaration has no effect for this version.',
  declaration_not_intact: 'The declaration is not what its own hashes say.',
  declaration_role_not_standard: 'The declared role is not `standard`.',
  contract_not_ours: 'The declaration names another contract than the one that this version writes.',
  contract_missing: 'The log has no contract under the name that the declaration gives, or another one.',
} as const;
export type Refusal = keyof typeof refusals;

/** One declaration and its contract as the log holds them. */
export interface DeclarationRead {
  readonly declaration: EventRead | null;
  readonly contract: EventRead | null;
}

export type Activation =
  | { readonly kind: 'disabled'; readonly reason: keyof typeof disabledReasons }
  | { readonly kind: 'ready'; readonly agent: AgentDeclared }
  | { readonly kind: 'refuses'; readonly reason: Refusal };

/** Whether an enabled service may run: by the declaration that the log has, and the contract that this version writes. */
export function decideActivation(ours: ContractRef, { declaration, contract }: DeclarationRead): Exclude<Activation, { kind: 'disabled' }> {
  const refuses = (reason: Refusal) => ({ kind: 'refuses', reason }) as const;
  if (declaration === null) return refuses('declaration_missing');
  if (declaration.kind !== 'event' || declaration.event.name !== 'agentDeclared') return refuses('declaration_unreadable');
  const agent = declaration.event.data;
  if (!agentIsIntact(agent)) return refuses('declaration_not_intact');
  if (agent.role !== 'standard') return refuses('declaration_role_not_standard');
  if (!sameContract(agent.contract, ours)) return refuses('contract_not_ours');
  return declares(contract, ours) ? { kind: 'ready', agent } : refuses('contract_missing');
}

/** The declared contract, never a similar one. */
function declares(read: EventRead | null, { hash }: ContractRef): boolean {
  if (read?.kind !== 'event' || read.event.name !== 'contractDeclared') return false;
  return read.event.data.hash === hash && canonicalHash(read.event.data.definition) === hash;
}
