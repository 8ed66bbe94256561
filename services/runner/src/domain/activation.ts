import type { UnavailableCode } from '@emend/agents/codes';
import { type AgentDeclared, agentIsIntact, canonicalHash, compileContract, type EventRead, type OutputContract } from '@emend/contracts';

/** What an activation makes of the process. `ok` is its component `activation` on /health, which also has the reason. */
export const outcomes = {
  disabled: { ok: true, logs: 'runner.disabled', sentence: 'Loads, is healthy and consumes nothing.' },
  ready: { ok: true, logs: 'runner.wired', sentence: 'Consumes sources.' },
  refuses: { ok: false, logs: 'runner.refused', sentence: 'Exits with code 3.' },
  unavailable: {
    ok: false,
    logs: 'runner.sandbox_unavailable',
    sentence: 'Stays up and is not ready; every source stays unclaimed, and a restart asks again.',
  },
} as const;

/** Why a runner is disabled. */
export const disabledReasons = { no_agents: 'The host names no declaration in EMEND_RUNNER_AGENTS.' } as const;

/** Why a runner with declarations does not start. */
export const refusals = {
  catalogue_missing: 'EMEND_MODEL_CATALOGUE_FILE names no catalogue of models.',
  player_and_model:
    'EMEND_RUNNER_PLAYER_FILE is named beside EMEND_MODEL_CATALOGUE_FILE or EMEND_RUNNER_OUTPUT_REPAIR_MODEL: one of them would be ignored.',
  declaration_missing: 'The log has no declaration under one of the names.',
  declaration_unreadable: 'What stands on the place of a declaration has no effect for this version.',
  declaration_not_intact: 'A declaration is not what its own hashes say.',
  declaration_role_not_standard: 'A declared role is not `standard`: a repair agent has a service of its own.',
  contract_missing: 'The log has no contract under the name that a declaration gives.',
  contract_unusable: 'What stands on the place of the contract cannot be used, or has another hash than the declaration names.',
} as const;
export type Refusal = keyof typeof refusals;

export interface ActivationSettings {
  /** `id@version` of each declaration that the host lets run. What a declaration says of `enabled` is how it ships, not a decision. */
  readonly agents: readonly string[];
  readonly catalogueFile: string | undefined;
  readonly playerFile: string | undefined;
  readonly outputRepairModel: string | undefined;
}

/** One declaration and its contract as the log holds them. */
export interface DeclarationRead {
  readonly declaration: EventRead | null;
  readonly contract: EventRead | null;
}

/** What is known beside the settings. Each is asked for only once the facts before it allow it. */
export interface ActivationFacts {
  readonly declarations: readonly DeclarationRead[] | 'not_read';
  readonly sandbox: { readonly kind: 'ready' } | { readonly kind: 'unavailable'; readonly code: UnavailableCode } | 'not_opened';
}

/** A declaration that runs, with its contract compiled. */
export interface StandardAgent {
  readonly agent: AgentDeclared;
  readonly contract: OutputContract;
}

export type Activation =
  | { readonly kind: 'disabled'; readonly reason: keyof typeof disabledReasons }
  | { readonly kind: 'ready'; readonly agents: readonly StandardAgent[] }
  | { readonly kind: 'refuses'; readonly reason: Refusal }
  | { readonly kind: 'unavailable'; readonly reason: UnavailableCode };

/** What the next decision needs. */
export type Undecided = { readonly kind: 'needs_declarations' } | { readonly kind: 'needs_sandbox' };

const refuses = (reason: Refusal): { readonly kind: 'refuses'; readonly reason: Refusal } => ({ kind: 'refuses', reason });

/** Whether this process may run: what the settings alone refuse needs no broker, and what the log refuses no sandbox. */
export function decideActivation(settings: ActivationSettings, { declarations, sandbox }: ActivationFacts): Activation | Undecided {
  const { agents: names, catalogueFile, playerFile, outputRepairModel } = settings;
  if (names.length === 0) return { kind: 'disabled', reason: 'no_agents' };
  if (playerFile !== undefined && (catalogueFile !== undefined || (outputRepairModel ?? '').trim() !== ''))
    return refuses('player_and_model');
  if (playerFile === undefined && catalogueFile === undefined) return refuses('catalogue_missing');
  if (declarations === 'not_read') return { kind: 'needs_declarations' };
  const agents: StandardAgent[] = [];
  for (const read of declarations) {
    const judged = judgeDeclaration(read);
    if (judged.kind === 'refuses') return judged;
    agents.push(judged);
  }
  if (sandbox === 'not_opened') return { kind: 'needs_sandbox' };
  if (sandbox.kind === 'unavailable') return { kind: 'unavailable', reason: sandbox.code };
  return { kind: 'ready', agents: agents.map(({ agent, contract }) => ({ agent, contract })) };
}

function judgeDeclaration({
  declaration,
  contract,
}: DeclarationRead): Extract<Activation, { kind: 'refuses' }> | (StandardAgent & { readonly kind: 'fits' }) {
  if (declaration === null) return refuses('declaration_missing');
  if (declaration.kind !== 'event' || declaration.event.name !== 'agentDeclared') return refuses('declaration_unreadable');
  const agent = declaration.event.data;
  if (!agentIsIntact(agent)) return refuses('declaration_not_intact');
  if (agent.role !== 'standard') return refuses('declaration_role_not_standard');
  if (contract === null) return refuses('contract_missing');
  const compiled = compiledFrom(contract, agent);
  return compiled === null ? refuses('contract_unusable') : { kind: 'fits', agent, contract: compiled };
}

/** The declared contract, never a similar one (T48, T49). */
function compiledFrom(read: EventRead, agent: AgentDeclared): OutputContract | null {
  if (read.kind !== 'event' || read.event.name !== 'contractDeclared') return null;
  const { definition, hash } = read.event.data;
  if (hash !== agent.contract.hash || canonicalHash(definition) !== hash) return null;
  try {
    return compileContract(definition);
  } catch {
    return null;
  }
}
