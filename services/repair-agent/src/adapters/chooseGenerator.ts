import { readFile } from 'node:fs/promises';
import { type Config, RefusedToStart, type Timers } from '@emend/runtime';
import type { repairAgentConfig } from '../config.js';
import type { RepairEvents } from '../events.js';
import type { Generator } from '../ports.js';
import { openAiCompatible } from './openAiCompatible.js';
import { recordedPlayer } from './recordedPlayer.js';
import { readRecordings } from './recordings.js';

export interface GeneratorChoice {
  readonly config: Pick<Config<typeof repairAgentConfig>, 'playerFile' | 'endpoint' | 'provider' | 'apiKeyFile' | 'responseFormat'>;
  readonly model: string;
  readonly tier: string;
  readonly timers: Timers;
  readonly events: Pick<RepairEvents, 'playerPromptDiffers'>;
}

/**
 * The player where a file of recordings is named, else the endpoint. One of them for the whole life: no fallback.
 * @throws RefusedToStart `api_key_unreadable`, or as reading recordings does.
 */
export async function chooseGenerator({ config, model, tier, timers, events }: GeneratorChoice): Promise<Generator> {
  if (config.playerFile !== undefined) {
    const recordings = await readRecordings(config.playerFile);
    return recordedPlayer({ recordings, model, tier, onPromptDiffers: (capture) => events.playerPromptDiffers(capture) });
  }
  const apiKey = config.apiKeyFile === undefined ? undefined : await readKey(config.apiKeyFile);
  return openAiCompatible({
    endpoint: config.endpoint,
    provider: config.provider,
    model,
    apiKey,
    responseFormat: config.responseFormat,
    timers,
  });
}

/** Visible characters on one line: what a header can carry. The file's text is never repeated. */
async function readKey(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const key = text.trim();
  if (!/^[\x21-\x7e]{1,4096}$/.test(key)) throw new RefusedToStart('api_key_unreadable');
  return key;
}
