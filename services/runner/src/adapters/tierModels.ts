import { type Launcher, readRecordings, recordedPlayer, RecordingsError, recordingsOfTier, sandboxedModel } from '@emend/agents';
import { type Catalogue, ModelError, openModel, readCatalogue } from '@emend/model';
import { outputRepairCatalogue, OverseerError, readOutputRepairModel } from '@emend/overseer';
import { type Config, RefusedToStart, type Timers } from '@emend/runtime';
import type { runnerConfig } from '../config.js';
import type { RunnerEvents } from '../events.js';
import type { StartEvents } from '@emend/runs';
import type { RunModel } from './answering.js';

export interface TierModelsOptions {
  readonly config: Pick<Config<typeof runnerConfig>, 'catalogueFile' | 'playerFile' | 'escalationModel' | 'outputRepairModel'>;
  readonly launcher: Launcher;
  readonly timers: Timers;
  readonly events: Pick<RunnerEvents, 'modelDiffers' | 'recordingAsked' | 'workerEnded'> & Pick<StartEvents, 'modelRefused'>;
}

/** Who answers for a tier, and who repairs what it wrote: both behind sandboxed workers, on the same key. */
export interface TierModels {
  readonly answers: RunModel;
  readonly repairs: RunModel;
}

/**
 * The models of the catalogue, or a player where a file of recordings is named: one pair for each tier.
 * @throws RefusedToStart with a code of `ModelError`, `OverseerError` or `RecordingsError`.
 */
export async function openTierModels(options: TierModelsOptions, tiers: readonly string[]): Promise<ReadonlyMap<string, TierModels>> {
  try {
    const open = options.config.playerFile === undefined ? await fromCatalogue(options) : await fromRecordings(options);
    return new Map(await Promise.all([...new Set(tiers)].map(async (tier) => [tier, await open(tier)] as const)));
  } catch (error) {
    if (!(error instanceof ModelError || error instanceof OverseerError || error instanceof RecordingsError)) throw error;
    options.events.modelRefused(error);
    throw new RefusedToStart(error.code);
  }
}

type OpenTier = (tier: string) => Promise<TierModels>;

async function fromCatalogue(options: TierModelsOptions): Promise<OpenTier> {
  const { catalogueFile = '', escalationModel, outputRepairModel } = options.config;
  const catalogue = await readCatalogue(catalogueFile, { escalationModel });
  const repairing = readOutputRepairModel({ outputRepairModel });
  return async (tier) => {
    const answers = await openEntry(options, catalogue, tier);
    const repairs = repairing === null ? answers : await openEntry(options, outputRepairCatalogue(catalogue, tier, repairing), tier);
    return { answers, repairs };
  };
}

async function openEntry(options: TierModelsOptions, catalogue: Catalogue, tier: string): Promise<RunModel> {
  const { timers, events } = options;
  return inSandbox(options, await openModel(catalogue, tier, { timers, onModelDiffers: () => events.modelDiffers() }));
}

/** One player for both: it knows a recorded answer by its prompt, whoever asks. */
async function fromRecordings(options: TierModelsOptions): Promise<OpenTier> {
  const { config, events } = options;
  const recordings = await readRecordings(config.playerFile ?? '');
  return async (tier) => {
    const player = recordedPlayer({
      recordings: recordingsOfTier(recordings, tier),
      onAsked: (run, played) => events.recordingAsked(run, played),
    });
    const answers = inSandbox(options, player);
    return { answers, repairs: answers };
  };
}

const inSandbox = ({ launcher, events }: TierModelsOptions, upstream: RunModel): RunModel =>
  sandboxedModel({ upstream, launcher, onRun: (run, record) => events.workerEnded(run, record) });
