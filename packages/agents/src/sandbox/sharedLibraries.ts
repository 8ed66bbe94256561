import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Mount } from './sandboxCommand.js';

const lddCommand = '/usr/bin/ldd';

/** Milliseconds that ldd may take. */
const lddMs = 10_000;

/** The libraries of a program and its loader, each where the loader looks for it. Null where that cannot be told. */
export async function sharedLibraries(program: string): Promise<readonly Mount[] | null> {
  try {
    const { stdout } = await promisify(execFile)(lddCommand, [program], { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, timeout: lddMs });
    const paths = libraryPaths(stdout);
    if (paths === null) return null;
    return await Promise.all(paths.map(async (at) => ({ from: await realpath(at), at })));
  } catch {
    return null;
  }
}

/** The paths in what ldd prints; null where a library is missing, or there is no loader. The kernel's own page has no path. */
export function libraryPaths(printed: string): readonly string[] | null {
  if (printed.includes('=> not found')) return null;
  const paths = [...printed.matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].map(([, at]) => at ?? '');
  return paths.some((at) => /\/ld-[^/]+$/.test(at)) ? paths : null;
}
