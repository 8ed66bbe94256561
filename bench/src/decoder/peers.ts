import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Reads a text in its own way; what it makes of it is not judged here. */
export interface Peer {
  readonly name: string;
  readonly read: (text: string) => unknown;
}

export interface Peers {
  readonly jsonrepair: (text: string) => string;
  readonly others: readonly Peer[];
}

/** The libraries of bench/peers. `npm run bench -- decoder` installs them there, from their own lockfile. */
export function loadPeers(root: string): Peers {
  const folder = join(root, 'bench', 'peers');
  if (!existsSync(join(folder, 'node_modules'))) throw new Error('bench/peers is not installed: npm ci --ignore-scripts in that folder');
  const require = createRequire(join(folder, 'package.json'));
  const { jsonrepair } = require('jsonrepair') as { jsonrepair: (text: string) => string };
  const { parse } = require('partial-json') as { parse: (text: string) => unknown };
  const { parsePartialJson } = require('ai') as { parsePartialJson: (text: string) => Promise<unknown> };
  return {
    jsonrepair,
    others: [
      { name: 'partial-json', read: (text) => orNothing(() => parse(text)) },
      { name: 'AI SDK parsePartialJson', read: (text) => parsePartialJson(text) },
    ],
  };
}

function orNothing(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}
