import { z } from 'zod';
import { manifestFormat, type ManifestBase } from './domain/manifest.js';

const rowId = z.string().regex(/^[0-9a-f]{64}$/);
const file = z.enum(['pairs.jsonl', 'sft.jsonl']);

/** What is read back of a manifest. Later releases may add to it; what stands here keeps its meaning. */
const manifestBase = z.object({
  format: z.literal(manifestFormat),
  position: z.int().min(0),
  rows: z.object({ 'pairs.jsonl': z.array(rowId), 'sft.jsonl': z.array(rowId) }),
  withdrawn: z.array(z.object({ file, row: rowId, lastExported: z.int().min(0) })),
});

/** Null where the text is no manifest. */
export function readManifest(text: string): ManifestBase | null {
  try {
    const parsed = manifestBase.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
