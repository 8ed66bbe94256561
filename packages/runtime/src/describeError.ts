import type { RuntimeCode } from './errors.js';
import { safeCode } from './safeCode.js';

/** What may be told about an error: its class, its code and where it was thrown. */
export interface ErrorFacts {
  readonly error: string;
  readonly code?: string;
  readonly at?: string;
}

/**
 * Facts of an error for a log line. The message is never among them, coded or not: parsers and the platform quote
 * their input in messages (`JSON.parse` the text, `ERR_INVALID_ARG_TYPE` the value).
 */
export function describeError(error: unknown): ErrorFacts {
  if (!(error instanceof Error)) return { error: 'NonError' };
  const at = thrownAt(error);
  return {
    error: safeCode(error.name, 'Error'),
    ...('code' in error && typeof error.code === 'string' ? { code: safeCode(error.code, 'unsafe_code' satisfies RuntimeCode) } : {}),
    ...(at === undefined ? {} : { at }),
  };
}

const FRAMES_MAX = 10;
const HEADER_MAX_CHARS = 128;
/** The file name, line and column that end a frame. */
const PLACE = /^\s+at .*?([^/\\():\s]+:\d+:\d+)\)?$/;

/** Where the first frame with a file stands. A message can imitate frames, so the exact message is cut off first. */
function thrownAt({ stack, message }: Error): string | undefined {
  if (typeof stack !== 'string') return undefined;
  const messageAt = stack.indexOf(`${message}\n`);
  const header = stack.slice(0, Math.max(0, messageAt));
  if (messageAt < 0 || messageAt > HEADER_MAX_CHARS || header.includes('\n')) return undefined;
  const frames = stack.slice(messageAt + message.length + 1).split('\n', FRAMES_MAX);
  const place = frames.map((frame) => PLACE.exec(frame)?.[1]).find((found) => found !== undefined);
  return place === undefined ? undefined : safeCode(place, 'unknown');
}
