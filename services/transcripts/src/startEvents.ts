import type { Health, Logger } from '@emend/runtime';
import { type Activation, outcomes } from './domain/activation.js';

/** How a start went: whether this process runs, and why not. Codes and places only. */
export interface StartEvents {
  activation(activation: Activation): void;
  /** Settings, prompts, a catalogue or a key that cannot be used: each place, and what was expected there. */
  cannotCorrect(code: string, places: readonly string[]): void;
}

export function startEvents({ log, health }: { readonly log: Logger; readonly health: Pick<Health, 'set'> }): StartEvents {
  return {
    activation(activation) {
      const { ok, logs } = outcomes[activation.kind];
      const reason = activation.kind === 'ready' ? 'ready' : activation.reason;
      health.set('activation', { ok, reason });
      if (activation.kind === 'disabled') log.info(logs, { reason });
      if (activation.kind === 'refuses') log.error(logs, { reason });
    },
    cannotCorrect(code, places) {
      health.set('activation', { ok: outcomes.refuses.ok, reason: code });
      log.error(outcomes.refuses.logs, { reason: code, places: places.join('; ') });
    },
  };
}
