import type { EventOf, SandboxDigests } from '@emend/contracts';
import type { StandardRunDeps } from '@emend/runs';
import type { StandardAgent } from './domain/activation.js';
import type { RunnerEvents } from './events.js';
import type { Answering, Quarantine } from './ports.js';

/** A declaration that runs, and what answers for it. */
export interface RunningAgent extends StandardAgent {
  readonly answering: Answering;
}

/** What answers one source. */
export interface RunnerDeps extends StandardRunDeps {
  readonly agents: readonly RunningAgent[];
  /** Further invocations of a first attempt whose output is refused. */
  readonly retries: number;
  /** A sequence of the log. Sources before it are left as they are. */
  readonly startSequence: number;
  /** What each worker's sandbox is made of: part of every claim. */
  readonly sandbox: SandboxDigests;
  readonly quarantine: Quarantine;
  readonly events: RunnerEvents;
}

export interface SourceInHand {
  readonly source: EventOf<'sourceCaptured'>;
  readonly agent: RunningAgent;
  /** Aborts when the drain is over. */
  readonly signal: AbortSignal;
  /** False where the source is set aside or older than the start: what was left is given up, and nothing begins. */
  readonly mayClaim: boolean;
}
