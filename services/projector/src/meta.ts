import { canonicalBytes, sha256, sha256Schema } from '@emend/contracts';
import type { EventLog, View } from '@emend/log';
import { z } from 'zod';
import { decideGeneration, type GenerationFacts, META_KEY, type Meta } from './domain/generation.js';
import { META_TRIES_MAX } from './limits.js';

const metaSchema = z.object({
  generation: z.int().min(1),
  log: sha256Schema,
  projection: z.int().min(1),
  reported: z.int().min(0),
});

export type SettledGeneration =
  | { readonly kind: 'adopted' | 'taken'; readonly meta: Meta }
  | { readonly kind: 'refused'; readonly cause: 'projection_older' | 'generation_of_others' | 'generation_contended' };

/** Finds out, or takes, the generation to write under: by compare-and-set, so that writers of one kind agree. */
export async function settleGeneration(view: View, facts: Omit<GenerationFacts, 'meta'>): Promise<SettledGeneration> {
  for (let tries = 0; tries < META_TRIES_MAX; tries += 1) {
    const { meta, revision } = await readMeta(view);
    const decision = decideGeneration({ ...facts, meta });
    if (decision.kind === 'refuse') return { kind: 'refused', cause: decision.cause };
    if (decision.kind === 'adopt') return { kind: 'adopted', meta: decision.meta };
    const put = await view.put(META_KEY, canonicalBytes(decision.meta), revision);
    if (put.kind === 'put') return { kind: 'taken', meta: decision.meta };
  }
  return { kind: 'refused', cause: 'generation_contended' };
}

/** Moves the watermark of reported void events; never back, and never that of another log. */
export async function moveReported(view: View, { log, reported }: { readonly log: string; readonly reported: number }): Promise<void> {
  for (let tries = 0; tries < META_TRIES_MAX; tries += 1) {
    const { meta, revision } = await readMeta(view);
    if (meta === null || meta.log !== log || meta.reported >= reported) return;
    const put = await view.put(META_KEY, canonicalBytes({ ...meta, reported }), revision);
    if (put.kind === 'put') return;
  }
}

/** A meta value that cannot be read counts as none: rows that are newer show it soon enough. */
export async function readMeta(view: View): Promise<{ readonly meta: Meta | null; readonly revision: number }> {
  const entry = await view.get(META_KEY);
  if (entry === null) return { meta: null, revision: 0 };
  return { meta: metaIn(entry.bytes), revision: entry.revision };
}

export const metaIn = (bytes: Uint8Array): Meta | null => metaSchema.safeParse(parsed(bytes)).data ?? null;

/** The log's incarnation: what stands first in it. Waits while the log is empty; null when the signal came first. */
export async function incarnationOf(log: EventLog, signal: AbortSignal): Promise<string | null> {
  const reading = new AbortController();
  let first: string | null = null;
  for await (const event of log.read({ from: 1, signal: AbortSignal.any([signal, reading.signal]) })) {
    first ??= sha256(event.bytes);
    reading.abort();
  }
  return first;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
