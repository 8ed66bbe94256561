import type { Model, ModelAnswer, ModelTimers } from '@emend/model';
import type { LimitFunction } from 'p-limit';

export interface Patience {
  readonly admitted: LimitFunction;
  readonly timers: ModelTimers;
  readonly retriesMax: number;
}

/** A model for one invocation, and what happened while it was asked. */
export interface PatientModel {
  readonly model: Model;
  /** Further tries that were made. */
  retries(): number;
  /** The text that was generated, as it came; null where there is none. */
  text(): string | null;
}

/** The first pause before another try, in milliseconds; it doubles. */
export const firstPauseMs = 1_000;

/** Asks again after a pause where an answer proves that nothing was generated, and never else. Each try waits for its admission. */
export function patientModel(upstream: Model, { admitted, timers, retriesMax }: Patience): PatientModel {
  let [retries, text]: [number, string | null] = [0, null];
  const model: Model = {
    identity: upstream.identity,
    async generate(request): Promise<ModelAnswer> {
      for (let pauseMs = firstPauseMs; ; retries += 1, pauseMs *= 2) {
        const answer = await admitted(() => upstream.generate(request));
        if (answer.kind === 'generated') text = answer.text;
        if (answer.kind !== 'not_generated' || retries >= retriesMax || request.signal.aborted) return answer;
        await pause(pauseMs, timers, request.signal);
      }
    },
  };
  return { model, retries: () => retries, text: () => text };
}

function pause(ms: number, timers: ModelTimers, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = timers.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}
