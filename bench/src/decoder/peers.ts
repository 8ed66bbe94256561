import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** By the name of a library, how it reads a text. It throws where it gives no value; what it makes of a text is not judged here. */
export type Peers = Readonly<Record<string, (text: string) => unknown>>;

/** The libraries of bench/peers. `npm run bench -- decoder` installs them there, from their own lockfile. */
export async function loadPeers(root: string): Promise<Peers> {
  const folder = join(root, 'bench', 'peers');
  if (!existsSync(join(folder, 'node_modules'))) throw new Error('bench/peers is not installed: npm ci --ignore-scripts in that folder');
  // They stand outside the workspace, so the path is made at run time.
  const { peers } = (await import(pathToFileURL(join(folder, 'read.mjs')).href)) as { peers: Peers };
  return peers;
}
