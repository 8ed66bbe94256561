import type { ChatMessage, Model, ModelAnswer, ModelRequest } from '@emend/model';
import type { NotStartedCode, RunFailedCode } from './failureCodes.js';
import { runSandboxedGeneration, type RunRecord } from './runSandboxedGeneration.js';
import type { Launcher } from './sandbox/launcher.js';

/** One generation of an agent run. */
export interface RunRequest extends ModelRequest {
  /** A first and only request: nothing goes on from an earlier answer. */
  readonly messages: readonly ChatMessage[];
  /** What the generation is for, in log lines: a run or a request. */
  readonly id: string;
  /** Of the messages: a broker that renders them again compares. */
  readonly promptHash: string;
}

export interface SandboxedOptions<Request extends RunRequest, Failed extends string, NotGenerated extends string> {
  /** What calls the model, from this process: an endpoint or a player. */
  readonly upstream: Model<Request, ModelAnswer<Failed, NotGenerated>>;
  readonly launcher: Launcher;
  /** Told of each run: counts and an exit. */
  readonly onRun: (id: string, record: RunRecord) => void;
}

/**
 * One worker per generation, and the upstream model behind its broker (T62, T63). What ran is the upstream's to say: the
 * worker changes neither the prompt nor the text, or the run fails.
 */
export function sandboxedModel<Request extends RunRequest, Failed extends string, NotGenerated extends string>({
  upstream,
  launcher,
  onRun,
}: SandboxedOptions<Request, Failed, NotGenerated>): Model<Request, ModelAnswer<Failed | RunFailedCode, NotGenerated | NotStartedCode>> {
  return {
    identity: upstream.identity,
    async generate(request) {
      const { messages, promptHash, limits, signal, id } = request;
      const { record, ...generated } = await runSandboxedGeneration<Failed, NotGenerated>({
        launcher,
        messages,
        promptHash,
        limits: { generationMs: limits.generationMs },
        callProvider: (runSignal) => upstream.generate({ ...request, signal: runSignal }),
        signal,
      });
      onRun(id, record);
      return generated;
    },
  };
}
