import { readFile } from 'node:fs/promises';
import wordListFile from 'word-list';

/** The ordinary words of English, in lower case: about 275,000, read once. */
export async function readDictionary(): Promise<(word: string) => boolean> {
  const words = new Set((await readFile(wordListFile, 'utf8')).split('\n'));
  return (word) => words.has(word);
}
