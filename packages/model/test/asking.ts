import { type CatalogueEntry, catalogueOf, type Model, type ModelRequest } from '../src/index.js';
import { type AdapterOptions, openAiCompatible } from '../src/openAiCompatible.js';
import { manualTimers } from './manualTimers.js';

export const key = 'sk-canary-91f0';
/** Stands in whatever a provider says beside the text of its answer. */
export const canary = 'canary-5c3a';

export const request: ModelRequest = {
  messages: [{ role: 'user', content: 'Source: a gauge.' }],
  contract: { name: 'stream.thought.output.observation@1', schema: { type: 'object' } },
  limits: { outputTokensMax: 77, generationMs: 30_000 },
  signal: new AbortController().signal,
};

/** A model at an address, with a key in hand. */
export function modelAt(baseUrl: string, tier: Partial<CatalogueEntry> = {}, options: Partial<AdapterOptions> = {}): Model {
  const catalogue = catalogueOf({ escalation: { provider: 'test', model: 'org/Big-1', ...tier, keyFile: '/keys/test', baseUrl } });
  const entry = catalogue.tiers['escalation'];
  if (entry === undefined) throw new Error('one tier was written');
  const { digest, generation } = catalogue;
  return openAiCompatible({ entry, catalog: { digest, generation }, apiKey: key, timers: manualTimers(), ...options });
}

export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
