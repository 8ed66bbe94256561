/** The largest event, in bytes of its body. */
export const EVENT_BYTES_MAX = 65_536;

/** The largest sum of a caller's header names and values, in bytes. The stream leaves 4 KiB for these and ours. */
export const EVENT_HEADER_BYTES_MAX = 3_072;

/** The longest subject, in bytes. */
export const SUBJECT_BYTES_MAX = 512;

/** How long one publish, read or API call may wait for its answer. */
export const CALL_TIMEOUT_MS = 5_000;

/** How long one append may try before it is `unknown`. */
export const APPEND_BOUND_MS = 30_000;

/** The pause after the first failure of anything that is tried again; it doubles up to the second. */
export const BACKOFF_FIRST_MS = 100;
export const BACKOFF_MAX_MS = 5_000;

/** A pull asks for this long; the server says it is alive this often; this much silence is a lost pull. */
export const PULL_EXPIRES_MS = 10_000;
export const PULL_HEARTBEAT_MS = 1_000;
export const PULL_SILENCE_MAX_MS = 2_500;

/** How many events a reader has on their way to it at most. Past 2,000 nothing is gained. */
export const READ_WINDOW_MESSAGES = 1_000;

/** The largest object, in bytes: it is in memory whole while it is written or read. */
export const OBJECT_BYTES_MAX = 67_108_864;

/** The largest part of an object, in bytes. */
export const OBJECT_PART_BYTES = 131_072;

/** How many parts of an object a reader has on their way to it at most. */
export const OBJECT_WINDOW_MESSAGES = 16;

/** How many appends and acknowledgements wait for the end of a turn at most; that many go out at once. */
export const OUTBOX_MAX = 256;

/** A reader that does not ask for this long is forgotten by the server, and starts again where it was. */
export const READER_IDLE_MAX_MS = 60_000;

/** How many requests one `serve` handles at once, and how many more may wait before one is dropped. */
export const SERVE_CONCURRENCY_MAX = 64;
export const SERVE_WAITING_MAX = 1_024;

/** How often a doubtful proof of a write is repeated. */
export const PROOF_TRIES_MAX = 3;
