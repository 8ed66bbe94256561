import { readFile, stat } from 'node:fs/promises';
import { parseRecordings, type Recording } from './recordings.js';
import { RecordingsError } from './recordingsError.js';

/** Bytes of a file of recordings. */
const fileBytesMax = 64 * 1024 * 1024;

/**
 * Reads a JSONL file of recorded generations.
 * @throws RecordingsError `player_file_unreadable`, `player_file_invalid`
 */
export async function readRecordings(file: string): Promise<readonly Recording[]> {
  const unreadable = new RecordingsError('player_file_unreadable', 'the file', 'a file that can be read');
  // Asked first: reading a pipe that nobody writes to would never end.
  const about = await stat(file).catch(() => null);
  if (about === null || !about.isFile()) throw unreadable;
  if (about.size > fileBytesMax) throw new RecordingsError('player_file_invalid', 'the file', `at most ${fileBytesMax} bytes`);
  const text = await readFile(file, 'utf8').catch(() => {
    throw unreadable;
  });
  return parseRecordings(text);
}
