import { type Catalogue, openModel } from '@emend/model';
import { outputRepairCatalogue, readOutputRepairModel } from '@emend/overseer';
import type { CallPort } from '@emend/revision';
import { type Config, systemTimers } from '@emend/runtime';
import type { transcriptsConfig } from '../config.js';
import { modelCalls, type ProfileModels } from './modelCalls.js';
import type { SettingsInForce } from './settingsInForce.js';

const outputTokensMax = 4_096;
const transportRetriesMax = 4;

/**
 * The port of all calls, over the models of every profile that a stage goes by.
 * @throws ModelError where a model cannot be opened, OverseerError where the repairing model is none.
 */
export async function openCalls(config: Config<typeof transcriptsConfig>, { stages, catalogue }: SettingsInForce): Promise<CallPort> {
  const { admission, generationMs } = config;
  const profiles = new Map<string, ProfileModels>();
  for (const profile of new Set(Object.values(stages).flatMap((stage) => [stage.profile, stage.repairProfile])))
    profiles.set(profile, await openProfile(config, catalogue, profile));
  return modelCalls({ profiles, admission, limits: { outputTokensMax, generationMs }, timers: systemTimers, transportRetriesMax });
}

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
