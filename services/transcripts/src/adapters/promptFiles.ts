import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PromptFiles } from '../prompts.js';

/** The prompts that ship beside this program. */
export const shippedPrompts = join(import.meta.dirname, '..', '..', 'prompts');

const ending = '.liquid';

/** Every `.liquid` file of a folder and of its folder `fragments`. Rejects where the folder cannot be read. */
export async function readPromptFiles(folder: string): Promise<PromptFiles> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(ending)).sort();
  const files = await Promise.all(
    names.map(async (name) => [name.slice(0, -ending.length).replaceAll('\\', '/'), await readFile(join(folder, name), 'utf8')] as const),
  );
  return new Map(files);
}

/** What ships, with the operator's files in its place where there are some (A63). */
export async function promptFilesInForce(overrides: string | undefined): Promise<PromptFiles> {
  const shipped = await readPromptFiles(shippedPrompts);
  return overrides === undefined ? shipped : new Map([...shipped, ...(await readPromptFiles(overrides))]);
}
