import { readEvent, subjects } from '@emend/contracts';
import type { EventRead } from '@emend/contracts';
import type { EventLog, StoredEvent } from '@emend/log';

export interface HistoryEvent {
  readonly stored: StoredEvent;
  readonly read: EventRead;
}

/** Every event of one original run, in log order. Reads by subject alone, so it finds runs of any producer. */
export async function readHistory(log: EventLog, run: string): Promise<readonly HistoryEvent[]> {
  const to = await log.lastSequence();
  const found = await Promise.all(filtersOf(run).map((subject) => collect(log, subject, to)));
  return found
    .flat()
    .sort((a, b) => a.sequence - b.sequence)
    .map((stored) => ({ stored, read: readEvent(stored) }));
}

const filtersOf = (run: string): readonly string[] => [
  subjects.runStarted({ producer: '*', run }),
  subjects.runEnded({ producer: '*', run }),
  subjects.repairRequested({ run, policy: '*' }),
  subjects.repairStarted({ run, policy: '*' }),
  subjects.correction({ run, policy: '*' }),
  subjects.judgmentsOf(run),
];

async function collect(log: EventLog, subject: string, to: number): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const stored of log.read({ from: 1, to, subject })) events.push(stored);
  return events;
}
