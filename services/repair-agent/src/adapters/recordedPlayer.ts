import { canonicalHash, placeOf } from '@emend/contracts';
import { usageUnsaid } from '@emend/model';
import type { Generated, Generator } from '../ports.js';
import type { Recording } from './recordings.js';

export interface PlayerOptions {
  readonly recordings: readonly Recording[];
  readonly model: string;
  /** Recordings of other tiers are not played. */
  readonly tier: string;
  /** Told of each generation whose recording was made from another prompt than the one in hand. */
  readonly onPromptDiffers: (capture: string) => void;
}

export const playerAdapter = 'recorded-player@1';

const catalogGeneration = 1;

/**
 * Plays generations that took place elsewhere: for a source's capture the one made from the very prompt in hand, else the
 * first of that capture, and then it says that the prompt differs. It never makes anything up.
 */
export function recordedPlayer({ recordings, model, tier, onPromptDiffers }: PlayerOptions): Generator {
  const played = recordings.filter((recording) => recording.tier === tier);
  const byCapture = new Map<string, readonly Recording[]>();
  for (const recording of played) byCapture.set(recording.note, [...(byCapture.get(recording.note) ?? []), recording]);
  const entry = { tier, model, executionAdapter: playerAdapter, recordings: played.map(({ note, promptHash }) => `${note} ${promptHash}`) };
  return {
    identity: {
      provider: 'recorded',
      model,
      executionAdapter: playerAdapter,
      catalog: { digest: canonicalHash(entry), generation: catalogGeneration },
    },
    async generate({ trigger, promptHash }): Promise<Generated> {
      const capture = placeOf(trigger)?.key[1] ?? '';
      const ofCapture = byCapture.get(capture) ?? [];
      const recording = ofCapture.find((one) => one.promptHash === promptHash) ?? ofCapture[0];
      if (recording === undefined) return { kind: 'failed', code: 'recording_missing' };
      if (recording.promptHash !== promptHash) onPromptDiffers(capture);
      return { kind: 'generated', text: recording.output, finishReason: recording.finishReason ?? null, usage: usageUnsaid };
    },
  };
}
