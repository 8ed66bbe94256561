import { type Launcher, runSandboxedGeneration, type RunRecord } from '@emend/agents';
import type { FailedCode, NotGeneratedCode } from '../domain/failureCodes.js';
import type { Generated, Generation, Generator } from '../ports.js';

export interface SandboxedOptions {
  /** What calls the model, from this process: an endpoint or a player. */
  readonly upstream: Generator;
  readonly launcher: Launcher;
  /** Told of each run: counts and an exit. */
  readonly onRun: (request: string, record: RunRecord) => void;
}

/**
 * One worker per generation, and the upstream generator behind its broker (T62, T63). What ran is the upstream's to say: the
 * worker changes neither the prompt nor the text, or the run fails.
 */
export function sandboxedGenerator({ upstream, launcher, onRun }: SandboxedOptions): Generator {
  return {
    identity: upstream.identity,
    async generate(generation: Generation): Promise<Generated> {
      const { messages, promptHash, limits, signal, request } = generation;
      const { record, ...generated } = await runSandboxedGeneration<FailedCode, NotGeneratedCode>({
        launcher,
        messages,
        promptHash,
        limits: { generationMs: limits.generationMs },
        callProvider: (runSignal) => upstream.generate({ ...generation, signal: runSignal }),
        signal,
      });
      onRun(request, record);
      // Compiles only while domain/failureCodes.ts has a row for every code of a run.
      return generated;
    },
  };
}
