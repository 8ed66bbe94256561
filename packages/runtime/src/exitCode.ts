import { describeError } from './describeError.js';
import { ConfigError, RefusedToStart, type RuntimeCode } from './errors.js';

/** What a process tells its supervisor. Restarting helps with `fault` only. */
export const exitCodes = {
  /** Asked to stop and drained, or its task was completed. */
  clean: 0,
  /** A fault at run time: a loop that stopped, an uncaught error, a drain past its bound. */
  fault: 1,
  /** The configuration cannot be used. */
  badConfig: 2,
  /** The service refused to start as things are. */
  refused: 3,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Why a life ended: the exit code and, unless it is clean, a cause code. */
export interface Ending {
  readonly exitCode: ExitCode;
  readonly cause: string;
}

export const clean = (cause: string): Ending => ({ exitCode: exitCodes.clean, cause });
export const fault = (cause: string): Ending => ({ exitCode: exitCodes.fault, cause });

/** The ending that an error of `start` or of the running work stands for. */
export function endingOf(error: unknown, signal: AbortSignal): Ending {
  if (isAnswerToAbort(error, signal)) return clean('stopped' satisfies RuntimeCode);
  const { code, error: name } = describeError(error);
  if (error instanceof ConfigError) return { exitCode: exitCodes.badConfig, cause: error.code };
  if (error instanceof RefusedToStart) return { exitCode: exitCodes.refused, cause: code ?? name };
  return fault(code ?? name);
}

/** A rejection that only says "I was told to stop", or that something had not answered by then. */
function isAnswerToAbort(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  return (
    error === signal.reason || (error instanceof Error && (error.name === 'AbortError' || ('nature' in error && error.nature === 'passes')))
  );
}
