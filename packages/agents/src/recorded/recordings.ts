import { z } from 'zod';
import { RecordingsError } from './recordingsError.js';

/** One generation that took place, unedited. Other members of a line are for people. */
const recordingSchema = z.object({
  tier: z.string().min(1).max(64),
  /** Of the messages that the recorded generation answered. */
  promptHash: z.string().regex(/^[0-9a-f]{64}$/),
  /** The model that generated it. */
  model: z.string().min(1).max(256),
  output: z.string(),
  finishReason: z.string().max(64).nullish(),
});
export type Recording = z.infer<typeof recordingSchema>;

/**
 * Reads recordings, one JSON object a line. They are refused whole: a player with holes would lie.
 * @throws RecordingsError `player_file_invalid`, with the line.
 */
export function parseRecordings(text: string): readonly Recording[] {
  return text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [parseLine(line, index + 1)]));
}

function parseLine(line: string, number: number): Recording {
  try {
    return recordingSchema.parse(JSON.parse(line));
  } catch {
    throw new RecordingsError('player_file_invalid', `line ${number}`, 'tier, promptHash, model, output and finishReason of a recording');
  }
}

/** The recordings of one tier, by the hash of their prompt, and the one model that made them. */
export interface RecordingsOfTier {
  readonly tier: string;
  readonly model: string;
  readonly byPrompt: ReadonlyMap<string, Recording>;
}

/**
 * The recordings of a tier. A prompt may stand there twice with the same answer.
 * @throws RecordingsError `player_tier_missing`, `player_file_contradicts`
 */
export function recordingsOfTier(recordings: readonly Recording[], tier: string): RecordingsOfTier {
  const ofTier = recordings.filter((recording) => recording.tier === tier);
  const [first] = ofTier;
  if (first === undefined) throw new RecordingsError('player_tier_missing', 'the file', 'a recording of each tier that is played');
  const byPrompt = new Map<string, Recording>();
  for (const recording of ofTier) {
    const standing = byPrompt.get(recording.promptHash) ?? recording;
    if (recording.model !== first.model || !saysTheSame(standing, recording)) {
      throw new RecordingsError('player_file_contradicts', 'the file', 'one model of a tier, and one answer to a prompt');
    }
    byPrompt.set(recording.promptHash, recording);
  }
  return { tier, model: first.model, byPrompt };
}

const saysTheSame = (one: Recording, other: Recording): boolean =>
  one.output === other.output && (one.finishReason ?? null) === (other.finishReason ?? null);
