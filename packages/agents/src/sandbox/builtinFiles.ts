import { readFile, realpath } from 'node:fs/promises';
import type { Mount } from './sandboxCommand.js';

/** Where Debian's Node keeps modules of its own, and reads them at each start. Every other Node carries them inside. */
const folder = '/usr/share/nodejs/';

/** The library of a Node that is built in two parts, as Debian's is. */
const nodeLibrary = /\/libnode\.so[^/]*$/;

/** Files that a Node with these libraries cannot start without. None for a Node in one piece. */
export async function builtinFiles(libraries: readonly Mount[]): Promise<readonly Mount[]> {
  const library = libraries.find(({ at }) => nodeLibrary.test(at));
  if (library === undefined) return [];
  const mounts = builtinPaths(await readFile(library.from)).map((at) =>
    realpath(at).then(
      (from) => ({ from, at }),
      () => null,
    ),
  );
  // One that is absent is one that this very Node runs without.
  return (await Promise.all(mounts)).filter((mount) => mount !== null);
}

/** The paths that stand in the bytes of the library, each once: no list of ours has to follow Debian's. */
export function builtinPaths(library: Buffer): readonly string[] {
  const paths = new Set<string>();
  for (let at = library.indexOf(folder); at !== -1; at = library.indexOf(folder, at + 1)) {
    const end = library.indexOf(0, at);
    const path = library.toString('latin1', at, end === -1 ? library.length : end);
    if (/^[\w./-]{1,200}\.js$/.test(path)) paths.add(path);
  }
  return [...paths].toSorted();
}
