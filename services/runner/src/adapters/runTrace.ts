import { encodeOutputRepairEvent } from '@emend/contracts';
import type { Broker } from '@emend/log';
import type { OutputRepairSink } from '@emend/overseer';
import type { Clock } from '@emend/runtime';
import type { RunnerEvents } from '../events.js';

export interface RunTraceOptions {
  readonly producer: string;
  readonly clock: Clock;
  readonly events: Pick<RunnerEvents, 'traceLost'>;
}

/** Events of overseer calls into the run trace, in the order in which they happened. One that cannot be stored is counted. */
export function runTrace(broker: Pick<Broker, 'store'>, { producer, clock, events }: RunTraceOptions): OutputRepairSink {
  let last: Promise<void> = Promise.resolve();
  return (event) => {
    const { subject, bytes } = encodeOutputRepairEvent(event, { producer, time: new Date(clock.now()).toISOString() });
    last = last.then(() => broker.store(subject, bytes)).catch(() => events.traceLost());
  };
}
