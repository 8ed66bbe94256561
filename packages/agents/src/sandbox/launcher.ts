import type { Duplex } from 'node:stream';

/** The bytes of a worker, read once. */
export interface WorkerBundle {
  readonly bytes: Buffer;
  /** SHA-256, for the record of a run. */
  readonly digest: string;
}

/** How a worker ended. */
export interface WorkerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Bytes on stdout and stderr together; what they said is gone. */
  readonly outputBytes: number;
}

/** One worker that was started. */
export interface RunningWorker {
  readonly pid: number | undefined;
  /** The parent's end of the channel. */
  readonly channel: Duplex;
  /** Resolves when the process is gone and its streams are closed. Never rejects. */
  readonly ended: Promise<WorkerExit>;
  /** Resolves once the worker passed the bound of its output; it is killed by then. */
  readonly flooded: Promise<void>;
  /** Ends it, whatever it does. */
  kill(): void;
}

/** Starts workers. In production the sandbox is the only one; tests hand in others by constructor. */
export interface Launcher {
  launch(): RunningWorker;
}
