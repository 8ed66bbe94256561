import { type Catalogue, catalogueOf, ModelError, openModel, readCatalogue } from '@emend/model';
import { type Config, RefusedToStart, type Timers } from '@emend/runtime';
import type { repairAgentConfig } from '../config.js';
import type { RepairEvents } from '../events.js';
import type { Generator } from '../ports.js';
import type { StartEvents } from '@emend/runs';
import { recordedPlayer } from './recordedPlayer.js';
import { readRecordings } from './recordings.js';

type Settings = Pick<
  Config<typeof repairAgentConfig>,
  'playerFile' | 'catalogueFile' | 'endpoint' | 'provider' | 'apiKeyFile' | 'structuredOutput'
>;

export interface GeneratorChoice {
  readonly config: Settings;
  readonly model: string;
  readonly tier: string;
  readonly timers: Timers;
  readonly events: Pick<RepairEvents, 'playerPromptDiffers' | 'modelDiffers'> & Pick<StartEvents, 'modelRefused'>;
}

/**
 * The player where a file of recordings is named, else the model of the catalogue. One of them for the whole life: no fallback.
 * @throws RefusedToStart with a code of `ModelError`, or as reading recordings does.
 */
export async function chooseGenerator({ config, model, tier, timers, events }: GeneratorChoice): Promise<Generator> {
  if (config.playerFile !== undefined) {
    const recordings = await readRecordings(config.playerFile);
    return recordedPlayer({ recordings, model, tier, onPromptDiffers: (capture) => events.playerPromptDiffers(capture) });
  }
  try {
    return await openModel(await catalogue(config, model, tier), tier, { timers, onModelDiffers: () => events.modelDiffers() });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    events.modelRefused(error);
    throw new RefusedToStart(error.code);
  }
}

/** The file's, or one of a single tier from the settings of the endpoint. */
async function catalogue(config: Settings, model: string, tier: string): Promise<Catalogue> {
  if (config.catalogueFile !== undefined) return readCatalogue(config.catalogueFile, { escalationModel: model });
  const { provider, endpoint, apiKeyFile, structuredOutput } = config;
  return catalogueOf({ [tier]: { provider, baseUrl: endpoint, keyFile: apiKeyFile, model, structuredOutput } });
}
