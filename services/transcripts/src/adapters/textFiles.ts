import { readFile, stat } from 'node:fs/promises';
import { TranscriptsError } from '../errors.js';

const fileBytesMax = 32 * 1024 * 1024;

/**
 * The text of one file.
 * @throws TranscriptsError `file_unreadable`: it cannot be read, or is larger than this many bytes.
 */
export async function readText(file: string, bytesMax: number = fileBytesMax): Promise<string> {
  const unreadable = new TranscriptsError('file_unreadable', [file]);
  // Asked first: reading a pipe that nobody writes to would never end.
  const about = await stat(file).catch(() => null);
  if (about === null || !about.isFile() || about.size > bytesMax) throw unreadable;
  return readFile(file, 'utf8').catch(() => {
    throw unreadable;
  });
}

/** One term a line. */
export const readTerms = async (file: string | undefined): Promise<readonly string[]> =>
  file === undefined
    ? []
    : (await readText(file))
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
