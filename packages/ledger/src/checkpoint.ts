import { sha256 } from '@emend/contracts';
import { type EventLog, LogError } from '@emend/log';
import type Database from 'better-sqlite3';

/** How far the log is folded, and what stood there: the file belongs to the log that has these bytes at this sequence. */
export interface Checkpoint {
  readonly sequence: number;
  /** SHA-256 of the event's bytes. */
  readonly hash: string;
}

/** `differs`: the log was replaced, or has lost its tail. */
export type CheckpointCheck = 'agrees' | 'differs';

/** The checkpoint in the file; it moves in the transaction of the batch. */
export class StoredCheckpoint {
  readonly #select: Database.Statement<[], Checkpoint>;
  readonly #replace: Database.Statement<[number, string]>;

  constructor(db: Database.Database) {
    this.#select = db.prepare('SELECT sequence, hash FROM checkpoint');
    this.#replace = db.prepare('INSERT OR REPLACE INTO checkpoint (one, sequence, hash) VALUES (1, ?, ?)');
  }

  get(): Checkpoint | null {
    return this.#select.get() ?? null;
  }

  set(checkpoint: Checkpoint): void {
    this.#replace.run(checkpoint.sequence, checkpoint.hash);
  }
}

/**
 * Whether the log still holds what was folded. Read through a reader, because the absence that a direct get reports is no
 * proof: a follower may lag behind.
 */
export async function checkCheckpoint(checkpoint: Checkpoint | null, log: EventLog, signal?: AbortSignal): Promise<CheckpointCheck> {
  if (checkpoint === null) return 'agrees';
  const { sequence, hash } = checkpoint;
  let agrees = false;
  try {
    for await (const event of log.read({ from: sequence, to: sequence, ...(signal ? { signal } : {}) })) {
      agrees = event.sequence === sequence && sha256(event.bytes) === hash;
    }
  } catch (error) {
    if (!(error instanceof LogError) || error.code !== 'log_went_back') throw error;
  }
  // Told to end while asking: nothing was proven, and nothing follows from it.
  return agrees || signal?.aborted ? 'agrees' : 'differs';
}
