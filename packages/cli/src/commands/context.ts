import type { Voice } from '../terminal/voice.js';

/** What every command gets: its surroundings, and a voice. It returns an exit code. */
export interface CommandContext {
  readonly env: NodeJS.ProcessEnv;
  readonly voice: Voice;
  readonly json: boolean;
  /** Aborts at SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
}
