import { readEvent, subjects, type ThoughtEvent } from '@emend/contracts';
import type { EventLog, Objects, StoredEvent } from '@emend/log';
import { createHealth, createLogger, createMetrics, manualTime, type Outcome } from '@emend/runtime';
import { logAppender, logReader } from '@emend/runs';
import { placesOf, runIn } from '@emend/runs/decisions';
import { transcriptEvents, transcriptsLogFields } from '../src/events.js';
import { handleTranscript, setAsideTranscript, type TranscriptDeps } from '../src/handleTranscript.js';
import { stageSettings } from '../src/settings.js';
import { contract, corrector, provenance, sourceIn } from './scene.js';
import { correction, type ScriptedModel, scriptedModel, type Wanted, approve } from './scriptedModel.js';
import { isWord, prompts } from './stageOn.js';

let nextClaimant = 0;

export interface Ground {
  readonly log: EventLog;
  readonly objects: Objects;
}

/** The service over any log and any bucket, with a scripted model and everything else as in service.ts. */
export function correctorOn({ log: events, objects }: Ground, model: Pick<ScriptedModel, 'call'>, change: Partial<TranscriptDeps> = {}) {
  const lines: Record<string, unknown>[] = [];
  const metrics = createMetrics({ service: 'transcripts' });
  const health = createHealth(() => 'ready');
  const logger = createLogger({
    name: 'transcripts',
    level: 'debug',
    fields: transcriptsLogFields,
    destination: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const stopping = new AbortController();
  const time = manualTime(Date.parse('2026-11-30T12:00:00.000Z'));
  const deps: TranscriptDeps = {
    producer: 'transcripts',
    agent: corrector(),
    attemptsMax: 3,
    startSequence: 0,
    correcting: {
      prompts,
      isWord,
      call: model.call,
      settings: stageSettings({ profile: 'small', repair: { maxAttempts: 1 } }),
      sectionsInWork: 4,
    },
    claim: { model: provenance, promptHash: 'c'.repeat(64) },
    contract,
    objects,
    reader: logReader(events),
    appender: logAppender(events),
    events: transcriptEvents({ log: logger, metrics, health }),
    clock: time,
    timers: time,
    stopping: stopping.signal,
    newClaimant: () => `claimant${String((nextClaimant += 1)).padStart(14, '0')}`,
    claimLostRetryMs: 30_000,
    ...change,
  };
  return {
    deps,
    lines,
    metrics,
    time,
    stop: () => stopping.abort(),
    handle: (stored: StoredEvent, signal = new AbortController().signal): Promise<Outcome> => handleTranscript(deps, stored, { signal }),
    setAside: (stored: StoredEvent): Promise<Outcome> => setAsideTranscript(deps, stored),
    said: (event: string) => lines.filter((line) => line['event'] === event),
  };
}

/** A model that takes one filler out of each section, and approves what it is asked about; everything else is as it is. */
export const goodModel = (answer: (wanted: Wanted) => unknown = () => undefined): ScriptedModel =>
  scriptedModel((wanted, call) => {
    const given = answer(wanted);
    if (given !== undefined) return given;
    if (wanted.kind === 'decide') return approve;
    const isSpokenWord = call.messages[0]?.content.includes('filler') ?? false;
    return { corrections: isSpokenWord ? [correction('um the', 'the')] : [] };
  });

/** The places of one attempt to correct a stored source. */
export function placesFor(stored: StoredEvent, n = 1, producer = 'transcripts') {
  const attempt = { producer, source: sourceIn(stored), agent: corrector(), n };
  const run = runIn(attempt);
  return { run, ...placesOf(attempt), derived: subjects.transcriptCorrected({ producer, run }) };
}

/** What stands on a place, which a test knows to be readable; null where nothing does. */
export async function eventAt(log: EventLog, place: string): Promise<ThoughtEvent | null> {
  const stored = await log.get(place);
  if (stored === null) return null;
  const read = readEvent(stored);
  if (read.kind !== 'event') throw new Error(`${read.kind} on ${place}`);
  return read.event;
}
