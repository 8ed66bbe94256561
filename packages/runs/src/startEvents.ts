import type { SandboxDigests } from '@emend/contracts';
import { type Health, type Logger, RefusedToStart } from '@emend/runtime';

/** What an activation makes of the process. `ok` is its component `activation` on /health, which also has the reason. */
export interface ActivationOutcome {
  readonly ok: boolean;
  readonly logs: string;
}

export type ActivationKind = 'disabled' | 'ready' | 'refuses' | 'unavailable';

/** What was decided of a start, as far as it is said: ready, or why not. */
export type Decided = { readonly kind: 'ready' } | { readonly kind: Exclude<ActivationKind, 'ready'>; readonly reason: string };

/** How a start went: whether this process runs, and why not. Codes and places only. */
export interface StartEvents {
  activation(activation: Decided): void;
  /** No work is taken: it would not be isolated. Beside the activation, which has its code. */
  sandboxUnavailable(why: { readonly code: string; readonly misses: readonly string[]; readonly said: string }): void;
  /** What each worker of this process runs in, as every claim records it. */
  sandboxReady(digests: SandboxDigests): void;
  /** The host's settings name no model: where, and what was expected there. */
  modelRefused(error: { readonly code: string; readonly place: string; readonly expected: string }): void;
}

/** The fields of the lines below. */
export const startLogFields = [
  'place',
  'expected',
  'sandboxCommand',
  'sandboxFilter',
  'sandboxNode',
  'sandboxWorker',
  'misses',
  'said',
] as const;

/** `service` is the first word of its lines. */
export function startEvents(
  { log, health }: { readonly log: Logger; readonly health: Pick<Health, 'set'> },
  { service, outcomes }: { readonly service: string; readonly outcomes: Readonly<Record<ActivationKind, ActivationOutcome>> },
): StartEvents {
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
      log.info(`${service}.sandbox_ready`, { sandboxCommand: command, sandboxFilter: filter, sandboxNode: node, sandboxWorker: worker });
    },
    modelRefused({ code, place, expected }) {
      log.error(`${service}.model_refused`, { code, place, expected });
    },
  };
}

/**
 * Whether a start goes on: it is ready, or the next decision needs another fact. What ends it is said.
 * @throws RefusedToStart with the reason of a refusal.
 */
export function goesOn(decided: Decided | { readonly kind: `needs_${string}` }, events: Pick<StartEvents, 'activation'>): boolean {
  if (isUndecided(decided) || decided.kind === 'ready') return true;
  events.activation(decided);
  if (decided.kind === 'refuses') throw new RefusedToStart(decided.reason);
  return false;
}

const isUndecided = (decided: Decided | { readonly kind: `needs_${string}` }): decided is { readonly kind: `needs_${string}` } =>
  decided.kind.startsWith('needs_');
