import { type Launcher, openSandbox, type PromptMessages, promptHashOf, type RunningWorker, runSandboxedGeneration } from '@emend/agents';

const messages: PromptMessages = [
  { role: 'system', content: 'Answer with JSON.' },
  { role: 'user', content: 'Source note-1:\nThe gauge at the north pier stood at 2.14 m at six in the morning.' },
];
const promptHash = promptHashOf(messages);

/** The sandbox of this machine. @throws where there is none: then there is nothing to measure. */
export async function sandboxHere(): Promise<Launcher> {
  const opened = await openSandbox();
  if (opened.kind === 'ready') return opened.sandbox;
  throw new Error(`no sandbox: ${opened.code} ${opened.misses.join(' ')} ${opened.said}`.trim());
}

/** So many runs, `width` of them at once, and nothing around them. */
export async function sandboxedRuns(launcher: Launcher, count: number, width: number): Promise<number> {
  let begun = 0;
  const lane = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      await oneRun(launcher);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return count;
}

/**
 * One whole run against a provider that answers at once. Returns the milliseconds from the spawn to the worker's result; `onAsked` sees
 * the worker while it lives. @throws where the run did not end with the text.
 */
export async function oneRun(launcher: Launcher, onAsked: (worker: RunningWorker) => void = () => {}): Promise<number> {
  let worker: RunningWorker | undefined;
  let resultMs = 0;
  const startMs = performance.now();
  const run = await runSandboxedGeneration<never, never>({
    launcher: {
      launch() {
        worker = launcher.launch();
        // The last thing that a good worker says is its result.
        worker.channel.on('data', () => (resultMs = performance.now()));
        return worker;
      },
    },
    messages,
    promptHash,
    limits: { generationMs: 60_000 },
    callProvider: () => {
      if (worker !== undefined) onAsked(worker);
      return Promise.resolve({
        kind: 'generated',
        text: '{"title":"The gauge"}',
        finishReason: 'stop',
        usage: { promptTokens: null, completionTokens: null },
      });
    },
    signal: new AbortController().signal,
  });
  if (run.kind !== 'generated') throw new Error(`a run ended with ${run.code}`);
  return resultMs - startMs;
}
