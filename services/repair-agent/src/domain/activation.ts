import { type AgentDeclared, agentIsIntact, type EventRead } from '@emend/contracts';
import { readModelMapping } from './modelMapping.js';

/** The only thing a repair agent subscribes to (T57). */
export const repairSubscription = 'stream.thought.agent.repair.requested';

/** Why an enabled agent does not start. Each is an exit with code 3. */
export const refusals = {
  escalation_model_missing: 'Enabled without THOUGHTSTREAM_TINKER_ESCALATION_MODEL (T60).',
  escalation_model_malformed: 'The mapping is neither a model id nor a Tinker path.',
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
}

export type Activation =
  /** Loads, is healthy, consumes nothing (T58, T61). */
  | { readonly kind: 'disabled' }
  | { readonly kind: 'ready'; readonly agent: AgentDeclared; readonly model: string }
  | { readonly kind: 'refuses'; readonly reason: Refusal };

const refuses = (reason: Refusal): { readonly kind: 'refuses'; readonly reason: Refusal } => ({ kind: 'refuses', reason });

/**
 * Whether this process may repair. `declaration` is what the log holds, and `not_read` before the log was asked:
 * what the settings alone refuse needs no broker.
 */
export function decideActivation(
  { enabled, escalationModel }: ActivationSettings,
  declaration: EventRead | null | 'not_read',
): Activation | { readonly kind: 'needs_declaration' } {
  if (!enabled) return { kind: 'disabled' };
  if (escalationModel === undefined) return refuses('escalation_model_missing');
  const model = readModelMapping(escalationModel);
  if (model === null) return refuses('escalation_model_malformed');
  if (declaration === 'not_read') return { kind: 'needs_declaration' };
  return decideDeclaration(declaration, model);
}

function decideDeclaration(declaration: EventRead | null, model: string): Activation {
  if (declaration === null) return refuses('declaration_missing');
  if (declaration.kind !== 'event' || declaration.event.name !== 'agentDeclared') return refuses('declaration_unreadable');
  const agent = declaration.event.data;
  if (!agentIsIntact(agent)) return refuses('declaration_not_intact');
  if (agent.role !== 'repair') return refuses('declaration_role_not_repair');
  if (agent.tier !== 'escalation') return refuses('declaration_tier_not_escalation');
  const [only, ...others] = agent.subscriptions;
  if (only !== repairSubscription || others.length > 0) return refuses('declaration_subscription_differs');
  return { kind: 'ready', agent, model };
}
