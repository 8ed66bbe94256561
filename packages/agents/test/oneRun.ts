import { usageUnsaid } from '@emend/model';
import type { CallProvider } from '../src/broker/upstream.js';
import type { RunLimits } from '../src/limits.js';
import { type PromptMessages, promptHashOf } from '../src/prompt.js';
import { runSandboxedGeneration, type SandboxedGeneration } from '../src/runSandboxedGeneration.js';
import type { Launcher } from '../src/sandbox/launcher.js';

export const messages: PromptMessages = [
  { role: 'system', content: 'Answer with JSON.' },
  { role: 'user', content: 'Source note-1:\nA line, a "quote", an é and a \u2028.' },
];

export const answer = '{"title":"A line"}';

export const answering =
  (text: string): CallProvider<never, never> =>
  () =>
    Promise.resolve({ kind: 'generated', text, finishReason: 'stop', usage: usageUnsaid });

interface Change {
  readonly messages?: PromptMessages;
  readonly promptHash?: string;
  readonly callProvider?: CallProvider<string, string>;
  readonly limits?: Partial<RunLimits>;
  readonly signal?: AbortSignal;
  readonly timers?: SandboxedGeneration<string, string>['timers'];
}

/** One run with an answering provider: say only what is to be different. */
export function oneRun(launcher: Launcher, change: Change = {}) {
  const asked = change.messages ?? messages;
  return runSandboxedGeneration<string, string>({
    launcher,
    messages: asked,
    promptHash: change.promptHash ?? promptHashOf(asked),
    callProvider: change.callProvider ?? answering(answer),
    limits: { generationMs: 60_000, ...change.limits },
    signal: change.signal ?? new AbortController().signal,
    ...(change.timers === undefined ? {} : { timers: change.timers }),
  });
}
