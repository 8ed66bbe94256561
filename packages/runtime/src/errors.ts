/** Every code this package gives by itself, thrown or logged, and what it says. Never reused; services add their own. */
export const runtimeCodes = {
  config_invalid: 'The configuration cannot be used; every problem has a line of its own.',
  wrong_use: 'A command was called with words or options that it does not take.',
  options_invalid: 'Options of this package that make no sense: a bug.',
  deliveries_exceeded: 'A message was set aside unread.',
  handler_threw: 'A handler threw, which is a bug; the message comes again.',
  deliveries_failed: 'The source of a loop failed with an error that has no code.',
  loop_ended_unasked: 'The source of a loop ended although nobody asked for it.',
  drain_expired: 'Work in hand did not end within the drain.',
  dispose_failed: 'Something could not be closed.',
  dispose_expired: 'Closing took too long.',
  work_ended: 'A piece of running work ended, so the process stops.',
  stopped: 'The process ended as asked, or its task is complete.',
  unsafe_code: 'Stands for a code that is not shaped like one.',
} as const;

export type RuntimeCode = keyof typeof runtimeCodes;

/** One setting that cannot be used: its variable and what would have been accepted. Never the value. */
export interface ConfigProblem {
  readonly name: string;
  readonly expected: string;
}

/** The configuration cannot be used. Carries every problem at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'config_invalid' satisfies RuntimeCode;

  constructor(readonly problems: readonly ConfigProblem[]) {
    super(`configuration: ${problems.map(({ name, expected }) => `${name}: expected ${expected}`).join('; ')}`);
  }
}

/** A command was called with words that it does not take; told with the usage, its own where it has one. */
export class WrongUse extends Error {
  override readonly name = 'WrongUse';
  readonly code = 'wrong_use' satisfies RuntimeCode;

  constructor(readonly usage?: string) {
    super('wrong use');
  }
}

/** A caller of this package passed options that make no sense: a bug, found at start. */
export class InvalidOptions extends Error {
  override readonly name = 'InvalidOptions';
  readonly code = 'options_invalid' satisfies RuntimeCode;
}

/** Thrown by a service's `start` that must not run as things are: fails closed, exit code 3. The code is the service's own. */
export class RefusedToStart extends Error {
  override readonly name = 'RefusedToStart';

  constructor(readonly code: string) {
    super(`refused to start: ${code}`);
  }
}
