import { canonicalHash } from '@emend/contracts';

/** What decides what a transcript is asked, beside the transcript. */
export interface WorkFacts {
  /** Over all prompts in force. */
  readonly prompts: string;
  readonly stages: Readonly<Record<string, { readonly budget: number; readonly profile: string; readonly repairProfile: string }>>;
  /** The model of each profile that a stage goes by. */
  readonly models: Readonly<Record<string, { readonly provider: string; readonly model: string }>>;
  /** Ring 1: the model that repairs replies, or `self`; null where it is off. */
  readonly replyRepair: string | null;
}

/**
 * What a claim has as its prompt hash. A run of a transcript has hundreds of prompts, and none of them is known before the answers that
 * come before it: so it is the canonical hash of the prompt files in force, of every stage's budget and profiles, of the models behind
 * these, and of who repairs replies. Two runs of one source with one hash were asked by the same rules.
 */
export const workHash = ({ prompts, stages, models, replyRepair }: WorkFacts): string =>
  canonicalHash({
    prompts,
    stages: Object.fromEntries(
      Object.entries(stages).map(([name, { budget, profile, repairProfile }]) => [name, { budget, profile, repairProfile }]),
    ),
    models: Object.fromEntries(Object.entries(models).map(([profile, { provider, model }]) => [profile, { provider, model }])),
    replyRepair,
  });
