import type { OutputRepairEvent } from '@emend/contracts';

/** Takes the trace events of overseer calls. Without one, calls are silent. */
export type OutputRepairSink = (event: OutputRepairEvent) => unknown;

/** A sink that cannot hurt the call: what it throws or rejects with is dropped, and nobody waits for it. */
export function harmless(sink: OutputRepairSink | undefined): (event: OutputRepairEvent) => void {
  if (sink === undefined) return () => undefined;
  return (event) => {
    try {
      Promise.resolve(sink(event)).catch(() => undefined);
    } catch {
      // The trace is for reading; an invocation does not depend on it.
    }
  };
}
