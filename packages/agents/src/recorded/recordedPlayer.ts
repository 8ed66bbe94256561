import { canonicalHash } from '@emend/contracts';
import { type Model, type ModelAnswer, usageUnsaid } from '@emend/model';
import type { PlayerFailedCode } from '../failureCodes.js';
import type { RunRequest } from '../sandboxedModel.js';
import type { RecordingsOfTier } from './recordings.js';

/** What became of one question to a player. `played_again`: its prompt was played before in this process. */
export type Played = 'played' | 'played_again' | 'recording_missing';

export interface PlayerOptions {
  readonly recordings: RecordingsOfTier;
  /** The model as the provenance names it; the one that made the recordings, when absent. */
  readonly model?: string;
  /** Told of each question, by the id of what it was asked for: whoever wires a player counts. */
  readonly onAsked: (id: string, played: Played) => void;
}

export type RecordedPlayer = Model<RunRequest, ModelAnswer<PlayerFailedCode, never>>;

const playerAdapter = 'recorded-player@2';
const catalogGeneration = 1;

/**
 * Plays generations that took place elsewhere, for demos and tests: to a prompt the answer that was recorded to this very prompt,
 * and to any other none. It never makes anything up. The provenance says `recorded`.
 */
export function recordedPlayer({ recordings, model = recordings.model, onAsked }: PlayerOptions): RecordedPlayer {
  const { tier, byPrompt } = recordings;
  const entry = { tier, model, executionAdapter: playerAdapter, recordings: [...byPrompt.keys()].toSorted() };
  const asked = new Set<string>();
  return {
    identity: {
      provider: 'recorded',
      model,
      executionAdapter: playerAdapter,
      catalog: { digest: canonicalHash(entry), generation: catalogGeneration },
    },
    async generate({ id, promptHash }) {
      const recording = byPrompt.get(promptHash);
      if (recording === undefined) {
        onAsked(id, 'recording_missing');
        return { kind: 'failed', code: 'recording_missing' };
      }
      onAsked(id, asked.has(promptHash) ? 'played_again' : 'played');
      asked.add(promptHash);
      return { kind: 'generated', text: recording.output, finishReason: recording.finishReason ?? null, usage: usageUnsaid };
    },
  };
}
