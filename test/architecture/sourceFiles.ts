import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { root } from './cruise.js';

/** The folders that hold TypeScript of ours, relative to the root. Build output is no part of them. */
export function sourceFolders(): readonly string[] {
  const workspaces = ['packages', 'services'].flatMap((folder) =>
    readdirSync(path.join(root, folder)).flatMap((name) => [`${folder}/${name}/src`, `${folder}/${name}/test`]),
  );
  return [...workspaces, 'test', 'demo/src', 'bench/src'].filter((folder) => existsSync(path.join(root, folder)));
}

/** Every TypeScript file of ours, relative to the root. */
export function sourceFiles(): readonly string[] {
  return sourceFolders().flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => path.posix.join(folder, file)),
  );
}
