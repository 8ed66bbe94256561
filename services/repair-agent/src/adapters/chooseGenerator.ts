import { readRecordings, recordedPlayer, RecordingsError, recordingsOfTier } from '@emend/agents';
import { type Catalogue, catalogueOf, ModelError, openModel, readCatalogue } from '@emend/model';
import { type Config, RefusedToStart, type Timers } from '@emend/runtime';
import type { repairAgentConfig } from '../config.js';
import type { RepairEvents } from '../events.js';
import type { Generator } from '../ports.js';
import type { StartEvents } from '@emend/runs';

type Settings = Pick<
  Config<typeof repairAgentConfig>,
  'playerFile' | 'catalogueFile' | 'endpoint' | 'provider' | 'apiKeyFile' | 'structuredOutput'
>;

export interface GeneratorChoice {
  readonly config: Settings;
  readonly model: string;
  readonly tier: string;
  readonly timers: Timers;
  readonly events: Pick<RepairEvents, 'recordingAsked' | 'modelDiffers'> & Pick<StartEvents, 'modelRefused'>;
}

/**
 * The player where a file of recordings is named, else the model of the catalogue. One of them for the whole life: no fallback.
 * @throws RefusedToStart with a code of `ModelError` or `RecordingsError`.
 */
export async function chooseGenerator(choice: GeneratorChoice): Promise<Generator> {
  try {
    return choice.config.playerFile === undefined ? await openEndpoint(choice) : await openPlayer(choice, choice.config.playerFile);
  } catch (error) {
    if (!(error instanceof ModelError || error instanceof RecordingsError)) throw error;
    choice.events.modelRefused(error);
    throw new RefusedToStart(error.code);
  }
}

async function openPlayer({ model, tier, events }: GeneratorChoice, file: string): Promise<Generator> {
  const recordings = recordingsOfTier(await readRecordings(file), tier);
  return recordedPlayer({ recordings, model, onAsked: (request, played) => events.recordingAsked(request, played) });
}

async function openEndpoint({ config, model, tier, timers, events }: GeneratorChoice): Promise<Generator> {
  return openModel(await catalogue(config, model, tier), tier, { timers, onModelDiffers: () => events.modelDiffers() });
}

/** The file's, or one of a single tier from the settings of the endpoint. */
async function catalogue(config: Settings, model: string, tier: string): Promise<Catalogue> {
  if (config.catalogueFile !== undefined) return readCatalogue(config.catalogueFile, { escalationModel: model });
  const { provider, endpoint, apiKeyFile, structuredOutput } = config;
  return catalogueOf({ [tier]: { provider, baseUrl: endpoint, keyFile: apiKeyFile, model, structuredOutput } });
}
