import type { Producer } from '@emend/client';
import type { EventLog } from '@emend/log';
import type { Declarations } from './folder.js';
import { type PlanStep, planDeclarations } from './plan.js';

export type Declared =
  | { readonly kind: 'declared'; readonly plan: readonly PlanStep[] }
  /** Nothing was written: some version is bound to other content, or leaves a gap. */
  | { readonly kind: 'refused'; readonly plan: readonly PlanStep[] };

export interface DeclareOptions {
  readonly log: EventLog;
  readonly producer: Producer;
  readonly declarations: Declarations;
  /** Told of the plan before anything is written; false leaves it at the plan. */
  readonly onPlan: (plan: readonly PlanStep[]) => boolean;
}

/** Writes contracts, then agents, then policies: each rests on what stands before it. All or, where one differs, none. */
export async function declare({ log, producer, declarations, onPlan }: DeclareOptions): Promise<Declared> {
  const plan = await planDeclarations(log, declarations);
  const wanted = onPlan(plan);
  if (plan.some(({ state }) => state === 'differs' || state === 'gap')) return { kind: 'refused', plan };
  if (!wanted) return { kind: 'declared', plan };
  for (const contract of declarations.contracts) await producer.declareContract(contract);
  for (const agent of declarations.agents) await producer.declareAgent(agent);
  for (const policy of declarations.policies) await producer.declarePolicy(policy);
  return { kind: 'declared', plan };
}
