import { LogError, type LogErrorCode } from '@emend/log';
import { type Outcome, retry, stop } from '@emend/runtime';

/** Faults that no further try mends. */
export const permanentFaults: readonly LogErrorCode[] = ['permission_denied', 'stream_missing', 'stream_unfit'];

/** Until a message comes back whose place could not be read. */
const unreadRetryMs = 5_000;

/** A question to the log that got no answer is no bug of the handler: the message comes again, or the process stops. */
export async function orLogFault(handling: Promise<Outcome>): Promise<Outcome> {
  try {
    return await handling;
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    return permanentFaults.includes(error.code) ? stop(error.code) : retry(unreadRetryMs, error.code);
  }
}
