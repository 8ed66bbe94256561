import type { Health, Logger, Metrics } from '@emend/runtime';

/** What a holder says while its provider does not generate. */
export interface ProviderWaits {
  providerAwaited(id: string, code: string, delayMs: number): void;
  providerWaitEnded(id: string): void;
}

/** How a service speaks of its holders: the first word of its lines and metrics, and the log field of their ids. */
export interface HolderWords {
  readonly lines: string;
  readonly metrics: string;
  readonly id: string;
}

/** While any holder waits, the process is not ready, and its component `provider` says why. */
export function providerWaits(
  { log, metrics, health }: { readonly log: Logger; readonly metrics: Metrics; readonly health: Pick<Health, 'set'> },
  words: HolderWords,
): ProviderWaits {
  const waits = metrics.counter({
    name: `${words.metrics}_provider_waits_total`,
    help: 'Pauses of a holder whose provider did not generate.',
    labels: ['code'],
  });
  const awaiting = new Set<string>();
  return {
    providerAwaited(id, code, delayMs) {
      waits.inc({ code });
      awaiting.add(id);
      health.set('provider', { ok: false, reason: code });
      log.warn(`${words.lines}.provider_awaited`, { [words.id]: id, code, delayMs });
    },
    providerWaitEnded(id) {
      awaiting.delete(id);
      if (awaiting.size === 0) health.set('provider', { ok: true });
      log.info(`${words.lines}.provider_wait_ended`, { [words.id]: id });
    },
  };
}
