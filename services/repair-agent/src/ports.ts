import type { RunRequest } from '@emend/agents';
import type { Model, ModelAnswer } from '@emend/model';
import type { FailedCode, NotGeneratedCode } from './domain/failureCodes.js';

/** Something an operator should see: ids, codes and counts. Never rejects. */
export interface Incidents {
  report(incident: {
    readonly code: string;
    readonly subject: string;
    readonly sequence: number;
    readonly deliveries?: number;
  }): Promise<void>;
}

/** One generation, asked for by the holder of the claim. Its id is the request's. */
export type Generation = RunRequest;

export type Generated = ModelAnswer<FailedCode, NotGeneratedCode>;

/**
 * A model as this agent asks one: an endpoint, a player of recordings, or one of them behind a sandboxed worker.
 * Called by the holder of a stored claim only.
 */
export type Generator = Model<Generation, Generated>;
