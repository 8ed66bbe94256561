import { type EventRead, readEvent } from '@emend/contracts';
import type { Broker, View } from '@emend/log';
import { z } from 'zod';

/** What was stored is republished here, at most once. A subscription on `stream.thought.…` would also see what was refused. */
const factPrefix = 'fact.thought.';
const streamPrefix = 'stream.thought.';

/** What a view holds under a run's id: the row, the last event folded into it, and the generation of the view. */
const rowEnvelopeSchema = z.object({ generation: z.int(), position: z.int(), row: z.looseObject({ run: z.string() }) });

export interface ViewRow {
  readonly generation: number;
  readonly position: number;
  readonly row: { readonly run: string; readonly [field: string]: unknown };
}

/** Facts as they are stored, by a subject after `stream.thought.` that may hold wildcards. At most once: replay the log for more. */
export async function* followFacts(
  broker: Broker,
  subject: string,
  signal?: AbortSignal,
): AsyncGenerator<{ readonly subject: string; readonly read: EventRead }> {
  for await (const message of broker.follow(`${factPrefix}${subject}`, signal)) {
    const stored = { subject: streamPrefix + message.subject.slice(factPrefix.length), bytes: message.bytes };
    yield { subject: stored.subject, read: readEvent(stored) };
  }
}

export async function getRow(view: View, run: string): Promise<ViewRow | null> {
  const entry = await view.get(run);
  return entry && parseRow(entry.bytes);
}

/** Every row that the view holds now, in the order of the runs' ids. */
export async function listRows(view: View): Promise<readonly ViewRow[]> {
  const runs: string[] = [];
  for await (const key of view.keys()) if (isRunKey(key)) runs.push(key);
  const rows: ViewRow[] = [];
  for (const run of runs.sort()) {
    const row = await getRow(view, run);
    if (row) rows.push(row);
  }
  return rows;
}

/** Current rows first, then the word `current`, then changes until the signal. A row may come twice. */
export async function* watchRows(view: View, signal?: AbortSignal): AsyncGenerator<ViewRow | 'current'> {
  for await (const change of view.watch(signal ? { signal } : {})) {
    if (change === 'current') yield 'current';
    else if (change.bytes !== null && isRunKey(change.key)) {
      const row = parseRow(change.bytes);
      if (row) yield row;
    }
  }
}

/** Run ids have 22 characters; other keys are the view's own. */
const isRunKey = (key: string): boolean => /^[A-Za-z0-9_-]{22}$/.test(key);

function parseRow(bytes: Uint8Array): ViewRow | null {
  try {
    return rowEnvelopeSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return null; // Not a row of ours; a view decides nothing, so there is nothing to lose.
  }
}
