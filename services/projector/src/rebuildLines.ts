import { viewNames } from './domain/rows.js';
import { PROGRESS_EVENTS } from './limits.js';
import type { RebuildProgress, Rebuilt } from './rebuildView.js';

/** What a person reads at the end. */
export function rebuildLines(rebuilt: Rebuilt): readonly string[] {
  switch (rebuilt.kind) {
    case 'rebuilt':
      return [
        `rebuilt ${rebuilt.runs} runs up to event ${rebuilt.position} (${rebuilt.voids} void), generation ${rebuilt.generation}`,
        ...viewNames.map((view) => {
          const { equal, different, behind, missing, surplus } = rebuilt.views[view];
          return `${view}: ${equal} equal, ${different} different, ${behind} behind, ${missing} missing, ${surplus} surplus`;
        }),
        rebuilt.byteEqual ? 'byte-equal: the views said what the log says' : 'not equal: the views said something else, and are right now',
      ];
    case 'log_empty':
      return ['the log is empty: nothing to rebuild'];
    case 'unknown_version':
      return [`event ${rebuilt.halt.sequence} on ${rebuilt.halt.subject} is from a newer writer: a newer projector has to rebuild`];
    case 'interrupted':
      return [`not rebuilt (${rebuilt.cause}): the views are whole, run it again`];
    default:
      return rebuilt satisfies never;
  }
}

export interface ProgressSink {
  readonly isTTY: boolean;
  write(text: string): void;
}

/** One line that renews itself on a terminal; elsewhere a plain line now and then. */
export function progressWriter(sink: ProgressSink): (progress: RebuildProgress) => void {
  let told = 0;
  return (progress) => {
    const line =
      progress.step === 'fold' ? `folding ${progress.position} of ${progress.last}` : `comparing ${progress.view}: ${progress.rows} rows`;
    const count = progress.step === 'fold' ? progress.position : progress.rows;
    const isLast = progress.step === 'fold' && progress.position === progress.last;
    if (count < told) told = 0;
    if (sink.isTTY) sink.write(`\r\u001B[K${line}${isLast ? '\n' : ''}`);
    else if (isLast || count >= told + PROGRESS_EVENTS) sink.write(`${line}\n`);
    if (isLast || count >= told + PROGRESS_EVENTS) told = count;
  };
}
