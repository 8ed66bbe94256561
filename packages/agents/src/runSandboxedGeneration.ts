import { SingleRunBroker, type BrokerEnd } from './broker/singleRunBroker.js';
import { type CallProvider, type RunTimers, systemRunTimers, type Upstream } from './broker/upstream.js';
import type { NotStartedCode, RunFailedCode } from './failureCodes.js';
import { type RunLimits, runLimitsDefault } from './limits.js';
import { type PromptMessages, promptHashOf } from './prompt.js';
import type { Launcher, RunningWorker } from './sandbox/launcher.js';

export interface SandboxedGeneration<Failed extends string, NotGenerated extends string> {
  readonly launcher: Launcher;
  readonly messages: PromptMessages;
  /** What the claim of the run recorded. Other messages than that are refused before anything is started. */
  readonly promptHash: string;
  readonly limits: Pick<RunLimits, 'generationMs'> & Partial<RunLimits>;
  /** The one call upstream, at most once, with a signal that says when nobody waits any more. */
  readonly callProvider: CallProvider<Failed, NotGenerated>;
  /** Aborts when the caller gives up. */
  readonly signal: AbortSignal;
  readonly timers?: RunTimers;
}

/** What became of a run, for logs: counts and an exit, never a text. */
export interface RunRecord {
  readonly upstreamCalls: number;
  readonly refused: number;
  readonly frames: number;
  readonly exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null };
}

export type GenerationResult<Failed extends string, NotGenerated extends string> = Upstream<
  Failed | RunFailedCode,
  NotGenerated | NotStartedCode
> & { readonly record: RunRecord };

const nothingRan: RunRecord = { upstreamCalls: 0, refused: 0, frames: 0, exit: { code: null, signal: null } };

/**
 * One generation: one worker of its own, one prompt in, at most one call upstream, one text out, and the worker is gone before
 * the promise resolves. It does not throw. The text is the provider's, byte for byte, and the worker had to say it too.
 */
export async function runSandboxedGeneration<Failed extends string, NotGenerated extends string>(
  generation: SandboxedGeneration<Failed, NotGenerated>,
): Promise<GenerationResult<Failed, NotGenerated>> {
  const { launcher, messages, promptHash, callProvider, signal, timers = systemRunTimers } = generation;
  if (signal.aborted) return { kind: 'failed', code: 'run_cancelled', record: nothingRan };
  if (!isPrompt(messages, promptHash)) return { kind: 'failed', code: 'prompt_mismatch', record: nothingRan };
  const limits: RunLimits = { ...runLimitsDefault, ...generation.limits };
  const worker = launch(launcher);
  if (worker === null) return { kind: 'not_generated', code: 'sandbox_not_started', record: nothingRan };
  const broker = new SingleRunBroker({ channel: worker.channel, messages, promptHash, callProvider, limits, timers });
  void worker.flooded.then(() => broker.breakOff('worker_output_too_large'));
  // A worker that never came up may leave its channel open.
  void worker.ended.then(() => broker.breakOff('worker_ended_early'));
  const cancel = () => broker.breakOff('run_cancelled');
  signal.addEventListener('abort', cancel, { once: true });
  const ended = await broker.ended;
  signal.removeEventListener('abort', cancel);
  const exit = await leave(worker, { politely: ended.end.kind === 'generated', leaveMs: limits.leaveMs, timers });
  const { upstreamCalls, refused, frames } = ended;
  return { ...resultOf(ended), record: { upstreamCalls, refused, frames, exit } };
}

function isPrompt(messages: PromptMessages, promptHash: string): boolean {
  try {
    return promptHashOf(messages) === promptHash;
  } catch {
    return false;
  }
}

/** A spawn can fail at once, without memory or descriptors: then there is no child whose exit could say so. */
function launch(launcher: Launcher): RunningWorker | null {
  try {
    return launcher.launch();
  } catch {
    return null;
  }
}

/** A worker that said its result leaves by itself, which spares init an orphan; any other is killed. Ends when the process is gone. */
async function leave(
  worker: RunningWorker,
  { politely, leaveMs, timers }: { readonly politely: boolean; readonly leaveMs: number; readonly timers: RunTimers },
): Promise<RunRecord['exit']> {
  const cancel = politely ? timers.after(leaveMs, () => worker.kill()) : () => {};
  if (!politely) worker.kill();
  worker.channel.destroy();
  const { code, signal } = await worker.ended;
  cancel();
  return { code, signal };
}

/** A worker that was never heard proves that nothing was asked; every other broken run ends the request. */
function resultOf<Failed extends string, NotGenerated extends string>({
  end,
  started,
  frames,
}: BrokerEnd<Failed, NotGenerated>): Upstream<Failed | RunFailedCode, NotGenerated | NotStartedCode> {
  if (end.kind !== 'broken_off') return end;
  const unheard = !started && frames === 0;
  if (unheard && (end.code === 'worker_ended_early' || end.code === 'worker_hung'))
    return { kind: 'not_generated', code: 'sandbox_not_started' };
  return { kind: 'failed', code: end.code };
}
