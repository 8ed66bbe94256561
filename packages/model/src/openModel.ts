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

/** Bytes of a key file: a key of 4,096 characters, and room around it. */
const keyFileBytesMax = 8_192;

/** Visible characters on one line: what a header can carry. The file's text is never repeated. */
async function readKey(file: string, tier: string): Promise<string> {
  const unreadable = new ModelError('api_key_unreadable', `tiers.${tier}.keyFile`, 'a small file with one key on one line');
  // Asked first: reading a pipe that nobody writes to would never end.
  const about = await stat(file).catch(() => null);
  if (about === null || !about.isFile() || about.size > keyFileBytesMax) throw unreadable;
  const key = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (!/^[\x21-\x7e]{1,4096}$/.test(key)) throw unreadable;
  return key;
}
