import { readFile, stat } from 'node:fs/promises';
import type { Catalogue } from './decisions/catalogue.js';
import { ModelError } from './errors.js';
import { openAiCompatible } from './openAiCompatible.js';
import type { Model } from './port.js';
import type { ModelTimers } from './timers.js';

export interface OpenOptions {
  readonly timers: ModelTimers;
  /** Told of each answer that names another model than the one asked for. */
  readonly onModelDiffers?: () => void;
}

/**
 * The model of a tier, with its key in hand. One of them for its whole life: no fallback, no second provider (T65).
 * @throws ModelError `tier_missing`, `api_key_unreadable`.
 */
export async function openModel(catalogue: Catalogue, tier: string, options: OpenOptions): Promise<Model> {
  const entry = Object.hasOwn(catalogue.tiers, tier) ? catalogue.tiers[tier] : undefined;
  if (entry === undefined) throw new ModelError('tier_missing', `tiers.${tier}`, 'a model for this tier');
  const apiKey = entry.keyFile === null ? undefined : await readKey(entry.keyFile, tier);
  const { digest, generation } = catalogue;
  return openAiCompatible({ entry, catalog: { digest, generation }, apiKey, ...options });
}

/** Bytes of a key file: one line, with room for what editors add. */
const keyFileBytesMax = 8 * 1024;

/** Visible characters on one line: what a header can carry. The file's text is never repeated, and a pipe is not waited for. */
async function readKey(file: string, tier: string): Promise<string> {
  const found = await stat(file).catch(() => null);
  const readable = found !== null && found.isFile() && found.size <= keyFileBytesMax;
  const key = readable ? (await readFile(file, 'utf8').catch(() => '')).trim() : '';
  if (!/^[\x21-\x7e]{1,4096}$/.test(key))
    throw new ModelError('api_key_unreadable', `tiers.${tier}.keyFile`, 'a file with one key on one line');
  return key;
}
