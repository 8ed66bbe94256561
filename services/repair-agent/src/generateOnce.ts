import { describeError, sleep, type Timers } from '@emend/runtime';
import type { FailedCode, NotGeneratedCode } from './domain/failureCodes.js';
import type { RepairEvents } from './events.js';
import type { Generated, Generation, Generator } from './ports.js';

/** The first pause of a holder whose provider did not generate; it doubles, up to the last. */
export const firstPauseMs = 1_000;
export const lastPauseMs = 60_000;

export interface GenerateDeps {
  readonly generator: Generator;
  readonly timers: Timers;
  readonly stopping: AbortSignal;
  /** How long a holder waits for a provider before its request is settled as failed. */
  readonly waitMaxMs: number;
  readonly events: RepairEvents;
}

/** What came of the one generation that a request permits. */
export type GenerationEnd =
  | Extract<Generated, { kind: 'generated' }>
  | { readonly kind: 'failed'; readonly code: FailedCode | NotGeneratedCode };

/**
 * Asks for the one generation. Only where the answer proves that none took place, and the cause is not the request, is it
 * asked for again: in place, with growing pauses, so that an outage costs one request a slot and not the whole queue.
 */
export async function generateOnce(deps: GenerateDeps, generation: Generation): Promise<GenerationEnd> {
  let waitedMs = 0;
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, lastPauseMs)) {
      const end = await ask(deps, generation);
      if (end.kind !== 'not_generated') return end;
      if (waitedMs + pauseMs > deps.waitMaxMs) return { kind: 'failed', code: end.code };
      deps.events.providerAwaited(generation.request, end.code, pauseMs);
      waitedMs += pauseMs;
      if ((await sleep(pauseMs, deps.stopping, deps.timers)) === 'aborted') return { kind: 'failed', code: 'stopped_while_waiting' };
    }
  } finally {
    if (waitedMs > 0) deps.events.providerWaitEnded(generation.request);
  }
}

/** A generator that throws may have generated: its request ends here. */
async function ask({ generator, events }: GenerateDeps, generation: Generation): Promise<Generated> {
  try {
    return await generator.generate(generation);
  } catch (error) {
    events.generatorThrew(generation.request, describeError(error));
    return { kind: 'failed', code: generation.signal.aborted ? 'shutdown' : 'generator_threw' };
  }
}
