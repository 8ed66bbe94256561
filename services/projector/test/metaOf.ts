import type { View } from '@emend/log';
import { META_KEY, type Meta } from '../src/domain/generation.js';

export type { Meta };

export async function readMeta(view: View): Promise<Meta | null> {
  const entry = await view.get(META_KEY);
  return entry === null ? null : (JSON.parse(new TextDecoder().decode(entry.bytes)) as Meta);
}

/** Writes a value whatever stands there, as somebody with other tools would. */
export async function force(view: View, key: string, text: string): Promise<void> {
  const entry = await view.get(key);
  await view.put(key, new TextEncoder().encode(text), entry?.revision ?? 0);
}

/** Removes everything, the meta value included. */
export async function wipe(view: View): Promise<void> {
  for await (const key of view.keys()) {
    const entry = await view.get(key);
    if (entry !== null) await view.remove(key, entry.revision);
  }
}
