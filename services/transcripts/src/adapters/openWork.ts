import { type Model, openModel } from '@emend/model';
import { type Config, systemTimers } from '@emend/runtime';
import type { transcriptsConfig } from '../config.js';
import type { CorrectionDeps } from '../correctionWork.js';
import { workHash } from '../domain/workHash.js';
import type { TranscriptEvents } from '../events.js';
import { openCorrecting } from './openCorrecting.js';
import { readSettingsInForce, type SettingsInForce } from './settingsInForce.js';

type Settings = Config<typeof transcriptsConfig>;
type ProviderEvents = Pick<TranscriptEvents, 'providerAwaited' | 'providerAnswered'>;

/**
 * What every transcript is corrected with, and what a claim says of it. The learned adapter is the declaration’s to say.
 * @throws TranscriptsError, ModelError, OverseerError where anything of it cannot be used.
 */
export async function openWork(config: Settings, events: ProviderEvents): Promise<Pick<CorrectionDeps, 'correcting' | 'claim'>> {
  const settings = await readSettingsInForce(config);
  const correcting = await openCorrecting(config, { settings, watch: (model) => watched(model, events) });
  // The last stage is the one that every transcript goes through.
  const { identity } = await openModel(settings.catalogue, settings.stages.grammar.profile, { timers: systemTimers });
  return {
    correcting,
    claim: { model: { ...identity, learnedAdapter: null }, promptHash: hashOf(config, settings, correcting.prompts.hash) },
  };
}

const hashOf = ({ outputRepair, outputRepairModel }: Settings, { stages, catalogue }: SettingsInForce, prompts: string): string => {
  const used = Object.values(stages).flatMap((stage) => [stage.profile, stage.repairProfile]);
  const models = Object.fromEntries(Object.entries(catalogue.tiers).filter(([profile]) => used.includes(profile)));
  return workHash({ prompts, stages, models, replyRepair: outputRepair ? (outputRepairModel ?? 'self') : null });
};

/** While a provider does not generate, the process is not ready; the calls themselves wait where they are made. */
export const watched = (model: Model, events: ProviderEvents): Model => ({
  identity: model.identity,
  async generate(request) {
    const answer = await model.generate(request);
    if (answer.kind === 'not_generated') events.providerAwaited(answer.code);
    else events.providerAnswered();
    return answer;
  },
});
