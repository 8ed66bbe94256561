import { finishMeaning } from '@emend/contracts';
import { type Model, type ModelTimers, usageUnsaid } from '@emend/model';
import type { CallAnswer, CallCounts, CallPort } from '@emend/revision';
import pLimit from 'p-limit';

export interface ModelCallsOptions {
  /** By profile: a tier of the catalogue. */
  readonly models: ReadonlyMap<string, Model>;
  /** Calls of all kinds that run at once; more of them wait (A90, A124). */
  readonly admission: number;
  readonly limits: { readonly outputTokensMax: number; readonly generationMs: number };
  readonly timers: ModelTimers;
  /** Further tries where the answer proves that nothing was generated. */
  readonly transportRetriesMax: number;
}

/** The first pause before another try, in milliseconds; it doubles. */
export const firstPauseMs = 1_000;

/**
 * The one way to a model for proposals, decisions and revisions: admission, time limits and transport retries are here and
 * nowhere else. Ring 1 is a decorator around `models`; until it is wired no structural repair is made.
 */
export function modelCalls({ models, admission, limits, timers, transportRetriesMax }: ModelCallsOptions): CallPort {
  const admitted = pLimit(admission);
  return async ({ messages, schema, profile, signal }) => {
    const model = models.get(profile);
    if (model === undefined) throw new Error('a profile without a model: settings are checked before the first call');
    const request = { messages, contract: { name: 'transcript', schema }, limits, signal };
    for (let retries = 0, pauseMs = firstPauseMs; ; retries += 1, pauseMs *= 2) {
      const counts: CallCounts = { transportRetries: retries, structuralRepairs: 0, usage: usageUnsaid };
      const answer = await admitted(() => model.generate(request));
      if (answer.kind === 'generated') return endOf(answer, counts);
      const isLast = answer.kind === 'failed' || retries >= transportRetriesMax || signal.aborted;
      if (isLast) return { kind: 'failed', code: answer.code, ...counts };
      await pause(pauseMs, timers, signal);
    }
  };
}

type Generated = Extract<Awaited<ReturnType<Model['generate']>>, { kind: 'generated' }>;

/** The finish reason comes first: what was cut off or refused is no answer, however complete it looks. */
function endOf({ text, finishReason, usage }: Generated, counts: CallCounts): CallAnswer {
  const meaning = finishMeaning(finishReason);
  const said = { ...counts, usage };
  return meaning === 'complete' || meaning === 'unknown'
    ? { kind: 'answered', text, ...said }
    : { kind: 'failed', code: `answer_${meaning}`, ...said };
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
