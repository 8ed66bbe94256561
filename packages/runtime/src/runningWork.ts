import type { LoopEnd } from './consumerLoop.js';
import type { RuntimeCode } from './errors.js';
import { type Ending, clean, fault } from './exitCode.js';

/** How running work ends: as a loop does, or, for a task that is complete, with nothing. */
export type RunEnd = LoopEnd | void;

export interface WorkWatch {
  /** Aborted once the process was asked to stop. */
  readonly signal: AbortSignal;
  /** Called when a piece ends unasked, so that the rest drains: half a process is not ready. */
  readonly onFirstEnd: () => void;
  readonly onError: (error: unknown) => Ending;
}

/** Waits for every piece of work; the ending is the first fault, in order of time, else clean. */
export async function followWork(pieces: readonly Promise<RunEnd>[], watch: WorkWatch): Promise<Ending> {
  const endings: Ending[] = [];
  await Promise.all(
    pieces.map(async (piece) => {
      endings.push(await endingOfPiece(piece, watch));
      if (!watch.signal.aborted) watch.onFirstEnd();
    }),
  );
  return endings.find(({ exitCode }) => exitCode !== 0) ?? clean('stopped' satisfies RuntimeCode);
}

async function endingOfPiece(piece: Promise<RunEnd>, { signal, onError }: WorkWatch): Promise<Ending> {
  try {
    const end = await piece;
    if (end?.kind === 'stopped') return fault(end.cause);
    // A loop that ran dry unasked has lost its source; a supervisor that restarts on failure should see a failure.
    if (end?.kind === 'drained' && !signal.aborted) return fault('loop_ended_unasked' satisfies RuntimeCode);
    return clean('stopped' satisfies RuntimeCode);
  } catch (error) {
    return onError(error);
  }
}
