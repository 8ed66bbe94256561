import type { UnavailableCode } from '@emend/agents/codes';
import { type AgentDeclared, agentIsIntact, type EventRead } from '@emend/contracts';
import { readModelMapping } from '@emend/model/decisions';

/** The only thing a repair agent subscribes to (T57). */
export const repairSubscription = 'stream.thought.agent.repair.requested';

/** What an activation makes of the process. `ok` is its component `activation` on /health, which also has the reason. */
export const outcomes = {
  disabled: { ok: true, logs: 'repair_agent.disabled', sentence: 'Loads, is healthy and consumes nothing (T58, T61).' },
  ready: { ok: true, logs: 'repair_agent.wired', sentence: 'Consumes repair requests.' },
  refuses: { ok: false, logs: 'repair_agent.refused', sentence: 'Exits with code 3 (T60).' },
  unavailable: {
    ok: false,
    logs: 'repair_agent.sandbox_unavailable',
    sentence: 'Stays up and is not ready; every request stays unclaimed, and a restart asks again.',
  },
} as const;

/** Why an agent is disabled. */
export const disabledReasons = {
  not_enabled: 'The host maps a model and did not enable the agent.',
  escalation_model_missing: 'The host neither enabled the agent nor mapped a model.',
} as const;

/** Why an enabled agent does not start. */
export const refusals = {
  escalation_model_missing: 'Enabled without THOUGHTSTREAM_TINKER_ESCALATION_MODEL (T60).',
  escalation_model_malformed: 'The mapping is neither a model id nor a Tinker path.',
  catalogue_and_endpoint: 'EMEND_MODEL_CATALOGUE_FILE is named beside a setting of the endpoint: one of them would be ignored.',
  player_and_model: 'EMEND_REPAIR_PLAYER_FILE is named beside a catalogue file or a setting of the endpoint: one of them would be ignored.',
  declaration_missing: 'The log has no declaration of EMEND_REPAIR_AGENT.',
  declaration_unreadable: 'What stands on the place of the declaration has no effect for this version.',
  declaration_not_intact: 'The declaration is not what its own hashes say.',
  declaration_role_not_repair: 'The declared role is not `repair` (T55).',
  declaration_tier_not_escalation: 'The declared tier is not `escalation` (T56).',
  declaration_subscription_differs: 'It subscribes to something else than repair requests, or to more (T57).',
} as const;
export type Refusal = keyof typeof refusals;

export interface ActivationSettings {
  /** The host's explicit decision. What the declaration says of `enabled` is how it ships, not a decision. */
  readonly enabled: boolean;
  /** The tier's model as the host mapped it. */
  readonly escalationModel: string | undefined;
  readonly catalogueFile: string | undefined;
  readonly playerFile: string | undefined;
  /** Whether the host named any setting of the one endpoint. */
  readonly namesEndpoint: boolean;
}

/** What is known beside the settings. Each is asked for only once the facts before it allow it. */
export interface ActivationFacts {
  readonly declaration: EventRead | null | 'not_read';
  readonly sandbox: { readonly kind: 'ready' } | { readonly kind: 'unavailable'; readonly code: UnavailableCode } | 'not_opened';
}

export type Activation =
  | { readonly kind: 'disabled'; readonly reason: keyof typeof disabledReasons }
  | { readonly kind: 'ready'; readonly agent: AgentDeclared; readonly model: string }
  | { readonly kind: 'refuses'; readonly reason: Refusal }
  | { readonly kind: 'unavailable'; readonly reason: UnavailableCode };

/** What the next decision needs. */
export type Undecided = { readonly kind: 'needs_declaration' } | { readonly kind: 'needs_sandbox' };

const refuses = (reason: Refusal): { readonly kind: 'refuses'; readonly reason: Refusal } => ({ kind: 'refuses', reason });

/** Whether this process may repair: what the settings alone refuse needs no broker, and what the log refuses no sandbox. */
export function decideActivation(settings: ActivationSettings, { declaration, sandbox }: ActivationFacts): Activation | Undecided {
  const { enabled, escalationModel, catalogueFile, playerFile, namesEndpoint } = settings;
  if (!enabled) return { kind: 'disabled', reason: escalationModel === undefined ? 'escalation_model_missing' : 'not_enabled' };
  if (escalationModel === undefined) return refuses('escalation_model_missing');
  const model = readModelMapping(escalationModel);
  if (model === null) return refuses('escalation_model_malformed');
  if (catalogueFile !== undefined && namesEndpoint) return refuses('catalogue_and_endpoint');
  if (playerFile !== undefined && (catalogueFile !== undefined || namesEndpoint)) return refuses('player_and_model');
  if (declaration === 'not_read') return { kind: 'needs_declaration' };
  const declared = judgeDeclaration(declaration);
  if (declared.kind === 'refuses') return declared;
  if (sandbox === 'not_opened') return { kind: 'needs_sandbox' };
  if (sandbox.kind === 'unavailable') return { kind: 'unavailable', reason: sandbox.code };
  return { kind: 'ready', agent: declared.agent, model };
}

function judgeDeclaration(
  declaration: EventRead | null,
): Extract<Activation, { kind: 'refuses' }> | { kind: 'fits'; agent: AgentDeclared } {
  if (declaration === null) return refuses('declaration_missing');
  if (declaration.kind !== 'event' || declaration.event.name !== 'agentDeclared') return refuses('declaration_unreadable');
  const agent = declaration.event.data;
  if (!agentIsIntact(agent)) return refuses('declaration_not_intact');
  if (agent.role !== 'repair') return refuses('declaration_role_not_repair');
  if (agent.tier !== 'escalation') return refuses('declaration_tier_not_escalation');
  const [only, ...others] = agent.subscriptions;
  if (only !== repairSubscription || others.length > 0) return refuses('declaration_subscription_differs');
  return { kind: 'fits', agent };
}
