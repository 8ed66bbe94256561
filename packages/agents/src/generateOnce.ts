import type { Model, ModelAnswer } from '@emend/model';
import type { RunTimers } from './broker/upstream.js';
import type { RunRequest } from './sandboxedModel.js';

/** The first pause of a holder whose provider did not generate; it doubles, up to the last. */
export const firstPauseMs = 1_000;
export const lastPauseMs = 60_000;

/** What a holder says while it waits, and of a generator that threw: ids and codes. What was thrown may quote a prompt. */
export interface GenerateEvents {
  providerAwaited(id: string, code: string, delayMs: number): void;
  providerWaitEnded(id: string): void;
  generatorThrew(id: string, error: unknown): void;
}

export interface GenerateDeps<Request extends RunRequest, Failed extends string, NotGenerated extends string> {
  readonly generator: Model<Request, ModelAnswer<Failed, NotGenerated>>;
  readonly timers: RunTimers;
  /** Aborts when the process is told to stop: a holder that only waits gives up at once. */
  readonly stopping: AbortSignal;
  /** How long a holder waits for a provider before its run ends as failed. */
  readonly waitMaxMs: number;
  readonly events: GenerateEvents;
}

/** How a generation ends by a word of the process that asks for it. */
type HolderCode = 'stopped_while_waiting' | 'shutdown' | 'generator_threw';

/** What came of the one generation that a claim permits. */
export type GenerationEnd<Failed extends string, NotGenerated extends string> =
  | Extract<ModelAnswer, { kind: 'generated' }>
  | { readonly kind: 'failed'; readonly code: Failed | NotGenerated | HolderCode };

/**
 * Asks for the one generation. Only where the answer proves that none took place, and the cause is not the request, is it
 * asked for again: in place, with growing pauses, so that an outage costs one request a slot and not the whole queue.
 */
export async function generateOnce<Request extends RunRequest, Failed extends string, NotGenerated extends string>(
  deps: GenerateDeps<Request, Failed, NotGenerated>,
  request: Request,
): Promise<GenerationEnd<Failed, NotGenerated>> {
  let waitedMs = 0;
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, lastPauseMs)) {
      const end = await ask(deps, request);
      if (end.kind !== 'not_generated') return end;
      if (waitedMs + pauseMs > deps.waitMaxMs) return { kind: 'failed', code: end.code };
      deps.events.providerAwaited(request.id, end.code, pauseMs);
      waitedMs += pauseMs;
      if (!(await paused(pauseMs, deps))) return { kind: 'failed', code: 'stopped_while_waiting' };
    }
  } finally {
    if (waitedMs > 0) deps.events.providerWaitEnded(request.id);
  }
}

/** A generator that throws may have generated: its run ends here. */
async function ask<Request extends RunRequest, Failed extends string, NotGenerated extends string>(
  { generator, events }: GenerateDeps<Request, Failed, NotGenerated>,
  request: Request,
): Promise<ModelAnswer<Failed | HolderCode, NotGenerated>> {
  try {
    return await generator.generate(request);
  } catch (error) {
    events.generatorThrew(request.id, error);
    return { kind: 'failed', code: request.signal.aborted ? 'shutdown' : 'generator_threw' };
  }
}

/** Whether the pause ran out before the process was told to stop. */
function paused(ms: number, { timers, stopping }: { readonly timers: RunTimers; readonly stopping: AbortSignal }): Promise<boolean> {
  if (stopping.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onAbort = (): void => {
      cancel();
      resolve(false);
    };
    const cancel = timers.after(ms, () => {
      stopping.removeEventListener('abort', onAbort);
      resolve(true);
    });
    stopping.addEventListener('abort', onAbort, { once: true });
  });
}
