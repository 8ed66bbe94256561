import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TranscriptsError } from '../errors.js';
import { compilePrompts, type PromptFiles, type Prompts } from '../prompts.js';

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

/**
 * What ships, with the operator's files in its place where there are some (A63).
 * @throws TranscriptsError `file_unreadable`
 */
export async function promptFilesInForce(overrides: string | undefined): Promise<PromptFiles> {
  try {
    const shipped = await readPromptFiles(shippedPrompts);
    return overrides === undefined ? shipped : new Map([...shipped, ...(await readPromptFiles(overrides))]);
  } catch {
    throw new TranscriptsError('file_unreadable', [overrides ?? 'the shipped prompts']);
  }
}

/** @throws TranscriptsError `prompts_refused`, `file_unreadable` */
export async function promptsInForce(overrides: string | undefined): Promise<Prompts> {
  const compiled = compilePrompts(await promptFilesInForce(overrides));
  if (compiled.kind === 'compiled') return compiled.prompts;
  throw new TranscriptsError(
    'prompts_refused',
    compiled.faults.map(({ file, code, expected }) => `${file}: ${code}: expected ${expected}`),
  );
}
