import { type Launcher, sandboxedModel } from '@emend/agents';
import { type Catalogue, type Model, ModelError, openModel, readCatalogue } from '@emend/model';
import { outputRepairCatalogue, OverseerError, readOutputRepairModel } from '@emend/overseer';
import { type Config, RefusedToStart, type Timers } from '@emend/runtime';
import type { runnerConfig } from '../config.js';
import type { RunnerEvents } from '../events.js';
import type { StartEvents } from '@emend/runs';
import type { RunModel } from './answering.js';

export interface TierModelsOptions {
  readonly config: Pick<Config<typeof runnerConfig>, 'catalogueFile' | 'escalationModel' | 'outputRepairModel'>;
  readonly launcher: Launcher;
  readonly timers: Timers;
  readonly events: Pick<RunnerEvents, 'modelDiffers' | 'workerEnded'> & Pick<StartEvents, 'modelRefused'>;
}

/** Who answers for a tier, and who repairs what it wrote: both behind sandboxed workers, on the same key. */
export interface TierModels {
  readonly answers: RunModel;
  readonly repairs: RunModel;
}

/**
 * The models of the catalogue, one pair for each tier.
 * @throws RefusedToStart with a code of `ModelError` or `OverseerError`.
 */
export async function openTierModels(options: TierModelsOptions, tiers: readonly string[]): Promise<ReadonlyMap<string, TierModels>> {
  const { catalogueFile = '', escalationModel, outputRepairModel } = options.config;
  try {
    const catalogue = await readCatalogue(catalogueFile, { escalationModel });
    const repairing = readOutputRepairModel({ outputRepairModel });
    const models = new Map<string, TierModels>();
    for (const tier of new Set(tiers)) {
      const answers = await open(options, catalogue, tier);
      const repairs = repairing === null ? answers : await open(options, outputRepairCatalogue(catalogue, tier, repairing), tier);
      models.set(tier, { answers, repairs });
    }
    return models;
  } catch (error) {
    if (!(error instanceof ModelError || error instanceof OverseerError)) throw error;
    options.events.modelRefused(error);
    throw new RefusedToStart(error.code);
  }
}

async function open({ launcher, timers, events }: TierModelsOptions, catalogue: Catalogue, tier: string): Promise<RunModel> {
  const upstream: Model = await openModel(catalogue, tier, { timers, onModelDiffers: () => events.modelDiffers() });
  return sandboxedModel({ upstream, launcher, onRun: (run, record) => events.workerEnded(run, record) });
}
