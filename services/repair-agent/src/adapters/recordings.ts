import { readFile, stat } from 'node:fs/promises';
import { RefusedToStart } from '@emend/runtime';
import { z } from 'zod';

/** Bytes of a file of recordings. */
const fileBytesMax = 64 * 1024 * 1024;

/** One generation that took place, unedited. Other members of a line are for people. */
const recordingSchema = z.object({
  /** The capture that the source of the prompt was. */
  note: z.string().min(1).max(64),
  tier: z.string().min(1).max(64),
  /** Of the messages that the recorded generation answered. */
  promptHash: z.string().regex(/^[0-9a-f]{64}$/),
  output: z.string(),
  finishReason: z.string().max(64).nullish(),
});
export type Recording = z.infer<typeof recordingSchema>;

/**
 * Reads a JSONL file of recorded generations.
 * @throws RefusedToStart `player_file_unreadable`, or `player_file_invalid` where any line is not a recording: a player with holes would lie.
 */
export async function readRecordings(file: string): Promise<readonly Recording[]> {
  const about = await stat(file).catch(() => null);
  if (about === null || !about.isFile()) throw new RefusedToStart('player_file_unreadable');
  if (about.size > fileBytesMax) throw new RefusedToStart('player_file_invalid');
  const text = await readFile(file, 'utf8').catch(() => {
    throw new RefusedToStart('player_file_unreadable');
  });
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    try {
      return recordingSchema.parse(JSON.parse(line));
    } catch {
      throw new RefusedToStart('player_file_invalid');
    }
  });
}
