import type { ModelAnswer } from '@emend/model';

/** What came of the one provider call. The codes are the caller's own and pass through unread. */
export type Upstream<Failed extends string, NotGenerated extends string> = ModelAnswer<Failed, NotGenerated>;

/** The one call, made by the parent with its own rendering of the prompt. Called at most once in a run. */
export type CallProvider<Failed extends string, NotGenerated extends string> = (
  signal: AbortSignal,
) => Promise<Upstream<Failed, NotGenerated>>;

/** Runs once after `ms`; the function it returns cancels. */
export interface RunTimers {
  after(ms: number, run: () => void): () => void;
}

export const systemRunTimers: RunTimers = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
