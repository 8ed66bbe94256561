import type { Unavailable } from '@emend/agents';
import type { SandboxDigests } from '@emend/contracts';
import type { Health, Logger } from '@emend/runtime';
import { type Activation, outcomes } from './domain/activation.js';

/** How a start went: whether this process repairs, and why not. Codes and places only. */
export interface StartEvents {
  activation(activation: Activation): void;
  /** No request is taken: the generation would not be isolated. Beside the activation, which has its code. */
  sandboxUnavailable(why: Unavailable): void;
  /** What each worker of this process runs in, as every claim records it. */
  sandboxReady(digests: SandboxDigests): void;
  /** The host's settings name no model, or no recordings: where, and what was expected there. */
  modelRefused(error: { readonly code: string; readonly place: string; readonly expected: string }): void;
}

export function startEvents({ log, health }: { log: Logger; health: Pick<Health, 'set'> }): StartEvents {
  return {
    activation(activation) {
      const { ok, logs } = outcomes[activation.kind];
      const reason = activation.kind === 'ready' ? 'ready' : activation.reason;
      health.set('activation', { ok, reason });
      if (activation.kind === 'disabled') log.info(logs, { reason });
      if (activation.kind === 'refuses') log.error(logs, { reason });
    },
    sandboxUnavailable({ code, misses, said }) {
      health.set('sandbox', { ok: false, reason: code });
      log.error(outcomes.unavailable.logs, { code, misses: misses.join(' '), said });
    },
    sandboxReady({ command, filter, node, worker }) {
      log.info('repair_agent.sandbox_ready', {
        sandboxCommand: command,
        sandboxFilter: filter,
        sandboxNode: node,
        sandboxWorker: worker,
      });
    },
    modelRefused({ code, place, expected }) {
      log.error('repair_agent.model_refused', { code, place, expected });
    },
  };
}
