import { type Catalogue, type Model, openModel } from '@emend/model';
import { outputRepairCatalogue, readOutputRepairModel } from '@emend/overseer';
import type { CallPort } from '@emend/revision';
import { type Config, systemTimers } from '@emend/runtime';
import type { transcriptsConfig } from '../config.js';
import { modelCalls, type ProfileModels } from './modelCalls.js';
import type { SettingsInForce } from './settingsInForce.js';

const outputTokensMax = 4_096;

/** A look at every call of a model, without a say in it. */
export type Watch = (model: Model) => Model;

/**
 * The port of all calls, over the models of every profile that a stage goes by.
 * @throws ModelError where a model cannot be opened, OverseerError where the repairing model is none.
 */
export async function openCalls(
  config: Config<typeof transcriptsConfig>,
  { stages, catalogue }: SettingsInForce,
  watch: Watch = (model) => model,
): Promise<CallPort> {
  const { admission, generationMs, transportRetriesMax } = config;
  const profiles = new Map<string, ProfileModels>();
  for (const profile of new Set(Object.values(stages).flatMap((stage) => [stage.profile, stage.repairProfile])))
    profiles.set(profile, watched(await openProfile(config, catalogue, profile), watch));
  return modelCalls({ profiles, admission, limits: { outputTokensMax, generationMs }, timers: systemTimers, transportRetriesMax });
}

const watched = ({ answers, repairs }: ProfileModels, watch: Watch): ProfileModels => ({
  answers: watch(answers),
  repairs: repairs === null ? null : watch(repairs),
});

/** Who answers for a profile, and who repairs what it wrote: on the same provider and key. */
async function openProfile(
  { outputRepair, outputRepairModel }: Config<typeof transcriptsConfig>,
  catalogue: Catalogue,
  profile: string,
): Promise<ProfileModels> {
  const answers = await openModel(catalogue, profile, { timers: systemTimers });
  if (!outputRepair) return { answers, repairs: null };
  const repairing = readOutputRepairModel({ outputRepairModel });
  if (repairing === null) return { answers, repairs: answers };
  const repairs = await openModel(outputRepairCatalogue(catalogue, profile, repairing), profile, { timers: systemTimers });
  return { answers, repairs };
}
