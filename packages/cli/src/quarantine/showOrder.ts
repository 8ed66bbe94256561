import { isPlainReason, keyTokenSchema, reasonUnitsMax } from '@emend/contracts';
import { CliError } from '../errors.js';

/** Who wants to see the text of which run, and why. */
export interface ShowOrder {
  readonly run: string;
  readonly operator: string;
  readonly reason: string;
}

/** The order as it may be recorded. @throws CliError `operator_invalid`, `reason_invalid`, without the words that were given */
export function readShowOrder({ run, operator, reason }: ShowOrder): ShowOrder {
  if (!keyTokenSchema.safeParse(operator).success)
    throw new CliError('operator_invalid', '--as', 'a name of at most 64 letters, digits, `_` and `-`');
  if (!isPlainReason(reason))
    throw new CliError(
      'reason_invalid',
      '--reason',
      `one line of plain words, 3 to ${reasonUnitsMax} characters, without quotes and brackets`,
    );
  return { run, operator, reason };
}
