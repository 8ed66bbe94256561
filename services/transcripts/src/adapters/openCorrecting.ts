import type { Config } from '@emend/runtime';
import type { transcriptsConfig } from '../config.js';
import type { CorrectDeps } from '../correctTranscript.js';
import { debugFile } from './debugFile.js';
import { readDictionary } from './dictionary.js';
import { openCalls, type Watch } from './openCalls.js';
import { promptsInForce } from './promptFiles.js';
import { readSettingsInForce, type SettingsInForce } from './settingsInForce.js';

/**
 * All that one transcript is corrected with: prompts, settings and models in force. Whatever cannot be used is refused here.
 * @throws TranscriptsError, ModelError, OverseerError
 */
export async function openCorrecting(
  config: Config<typeof transcriptsConfig>,
  { settings: given, watch }: { readonly settings?: SettingsInForce; readonly watch?: Watch } = {},
): Promise<Omit<CorrectDeps, 'signal'>> {
  const settings = given ?? (await readSettingsInForce(config));
  return {
    settings: settings.stages,
    prompts: await promptsInForce(config.promptsDir),
    isWord: await readDictionary(),
    call: await openCalls(config, settings, watch),
    sectionsInWork: 2 * config.admission,
    ...(config.debugFile !== undefined && { debug: debugFile(config.debugFile) }),
  };
}
