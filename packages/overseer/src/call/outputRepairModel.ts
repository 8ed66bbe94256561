import type { Catalogue } from '@emend/model/decisions';
import { OverseerError } from '../errors.js';

/** The setting, and the alias under which it may also be written (O22). */
const spellings = ['outputRepairModel', 'output_repair_model'] as const;

/**
 * The model that repairs, or null for the one that wrote the output: where the setting is absent or blank (O22).
 * @throws OverseerError `output_repair_model_invalid`, `output_repair_model_twice`
 */
export function readOutputRepairModel(settings: Readonly<Record<string, unknown>>): string | null {
  const named = new Set(spellings.map((spelling) => readSpelling(settings, spelling)).filter((model) => model !== ''));
  if (named.size > 1) throw new OverseerError('output_repair_model_twice', spellings.join(', '), 'one model');
  return [...named][0] ?? null;
}

function readSpelling(settings: Readonly<Record<string, unknown>>, spelling: string): string {
  const value = settings[spelling] ?? '';
  if (typeof value !== 'string')
    throw new OverseerError('output_repair_model_invalid', spelling, 'a model, or blank for the originating one');
  return value.trim();
}

/** The catalogue with which `openModel` opens the repairing model: the same tier, so the same provider and key, another model (O23, O24, O36). */
export function outputRepairCatalogue(catalogue: Catalogue, tier: string, model: string | null): Catalogue {
  const entry = Object.hasOwn(catalogue.tiers, tier) ? catalogue.tiers[tier] : undefined;
  if (model === null || entry === undefined) return catalogue;
  return { ...catalogue, tiers: { ...catalogue.tiers, [tier]: { ...entry, model } } };
}
