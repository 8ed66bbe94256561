import type { ConfigTable } from './config.js';
import { describeError } from './describeError.js';
import { exitCodes } from './exitCode.js';
import { Life, type LifeOptions } from './life.js';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Runs a life as this process, for `main.ts`. A signal begins the drain; a second one is logged and changes nothing,
 * because the drain is bounded anyway and work in hand is worth finishing. Exit codes: see `exitCodes`. With
 * `EMEND_LIFELINE=stdin` the end of standard input begins the drain too: whoever started this process has died.
 */
export async function runProcess<T extends ConfigTable>(options: LifeOptions<T>): Promise<never> {
  const life = new Life({ processMetrics: true, ...options });
  for (const signal of STOP_SIGNALS) process.on(signal, () => life.stop(signal));
  // What the code did not foresee leaves its state unknown: no drain, no closing. The log is built for a kill at any step.
  process.on('uncaughtException', (error) => die(life, 'process.uncaught_exception', error));
  process.on('unhandledRejection', (error) => die(life, 'process.unhandled_rejection', error));
  if (options.env['EMEND_LIFELINE'] === 'stdin') process.stdin.on('end', () => life.stop('lifeline_ended')).resume();
  process.exit(await life.run());
}

function die<T extends ConfigTable>(life: Life<T>, event: string, error: unknown): never {
  try {
    life.log.error(event, { ...describeError(error), exitCode: exitCodes.fault });
  } finally {
    process.exit(exitCodes.fault);
  }
}
