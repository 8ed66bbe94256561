/** The bounds of one run, each with its unit. What a caller names replaces ours. */
export interface RunLimits {
  /** Milliseconds that the provider call may take. The call has a deadline of its own; this one ends a call that forgot it. */
  readonly generationMs: number;
  /** Milliseconds from the spawn to `hello`: namespaces, Node and the bundle. */
  readonly startMs: number;
  /** Milliseconds that a worker may think when it is its turn. */
  readonly turnMs: number;
  /** Milliseconds from the result to the end of the process, before it is killed. */
  readonly leaveMs: number;
  /** UTF-8 bytes of the text of an answer. */
  readonly answerBytesMax: number;
  /** Frames of one worker: three are needed, the others are refused requests. */
  readonly framesMax: number;
}

export const runLimitsDefault = {
  startMs: 10_000,
  turnMs: 10_000,
  leaveMs: 1_000,
  answerBytesMax: 256 * 1024,
  framesMax: 16,
} as const satisfies Omit<RunLimits, 'generationMs'>;

/** Milliseconds that the provider call has beyond its own deadline, so that its own word for it comes first. */
export const generationGraceMs = 10_000;

/** Bytes that a frame may have beyond the largest one that the worker was sent: its names are not ours to the byte. */
export const frameSlackBytes = 256;

/** Bytes on the worker's stdout and stderr together. They are counted and thrown away: a crash dump can quote memory. */
export const outputBytesMax = 64 * 1024;

/** Bytes of a worker file. */
export const bundleBytesMax = 32 * 1024;
