import { CliError, type CliErrorCode } from './errors.js';

/** What `emend` tells a script. Commands of a service (`explain`, `scan`, `rebuild`, `export`) keep that service's own codes. */
export const exitCodes = {
  ok: 0,
  /** The work could not be done; the message says where and why. */
  failed: 1,
  usage: 2,
  /** Somebody said no: a judgment was refused, or a declared version has other content. */
  refused: 3,
  notFound: 4,
  /** The work was done, but for some lines that are named with their numbers. */
  someLinesRefused: 5,
} as const;

/** Refusals that say more than that it could not be done. */
const codesOfRefusals: Partial<Record<CliErrorCode, number>> = {
  run_name_invalid: exitCodes.usage,
  agent_name_invalid: exitCodes.usage,
  operator_invalid: exitCodes.usage,
  reason_invalid: exitCodes.usage,
  quarantine_empty: exitCodes.notFound,
};

/** The exit code of what a command threw. */
export const exitCodeOf = (error: unknown): number =>
  (error instanceof CliError ? codesOfRefusals[error.code] : undefined) ?? exitCodes.failed;
