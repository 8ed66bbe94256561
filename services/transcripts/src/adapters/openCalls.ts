import { type Catalogue, catalogueOf, openModel } from '@emend/model';
import { outputRepairCatalogue, readOutputRepairModel } from '@emend/overseer';
import type { CallPort } from '@emend/revision';
import { type Config, systemTimers } from '@emend/runtime';
import type { transcriptsConfig } from '../config.js';
import { modelCalls, type ProfileModels } from './modelCalls.js';

/** The one profile there is where an endpoint is set and no catalogue. */
export const endpointProfile = 'transcripts';

const outputTokensMax = 4_096;
const transportRetriesMax = 4;

/**
 * The port of all calls, over the models of these profiles.
 * @throws ModelError where a model cannot be opened, OverseerError `output_repair_model_invalid`.
 */
export async function openCalls(config: Config<typeof transcriptsConfig>): Promise<CallPort> {
  const { admission, generationMs } = config;
  const profiles = new Map([[endpointProfile, await openProfile(config, catalogueOfEndpoint(config), endpointProfile)]]);
  return modelCalls({ profiles, admission, limits: { outputTokensMax, generationMs }, timers: systemTimers, transportRetriesMax });
}

const catalogueOfEndpoint = ({ endpoint, model, apiKeyFile, structuredOutput }: Config<typeof transcriptsConfig>): Catalogue =>
  catalogueOf({ [endpointProfile]: { provider: 'endpoint', baseUrl: endpoint, keyFile: apiKeyFile, model, structuredOutput } });

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
