import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** What another library makes of a text: a value, or undefined where it gives none. */
export interface Peer {
  readonly name: string;
  read(text: string): Promise<unknown> | unknown;
}

const manifest = path.resolve(fileURLToPath(import.meta.url), '../../../bench/peers/package.json');

/** The peers of bench/peers, where they are installed (`npm ci --ignore-scripts` there; `npm run bench -- decoder` does it). */
export function installedPeers(): readonly Peer[] {
  if (!existsSync(path.join(path.dirname(manifest), 'node_modules'))) return [];
  const require = createRequire(manifest);
  const { jsonrepair } = require('jsonrepair') as { jsonrepair: (text: string) => string };
  const partial = require('partial-json') as { parse: (text: string) => unknown };
  const { parsePartialJson } = require('ai') as { parsePartialJson: (text: string) => Promise<{ value: unknown }> };
  return [
    { name: 'jsonrepair', read: (text) => orNothing(() => JSON.parse(jsonrepair(text)) as unknown) },
    { name: 'partial-json', read: (text) => orNothing(() => partial.parse(text)) },
    { name: 'AI SDK parsePartialJson', read: async (text) => (await parsePartialJson(text)).value },
  ];
}

function orNothing(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}
