import { type EncodedEvent, type EventDraft, encodeEvent } from '@emend/contracts';
import { headers } from '@nats-io/transport-node';
import type { Comparison, Timed } from '../measure.js';
import { runDrafts } from './runs.js';
import { inFlight, type Stage } from './stage.js';

const eventsPerRound = 6_000;
const width = 256;

/** Appends of output events, pipelined: through our door, and as bare requests with the same headers. */
export function appendComparisons({ broker, bare }: Stage): readonly Comparison[] {
  const bareHeaders = headers();
  bareHeaders.set('content-type', 'application/cloudevents+json');
  bareHeaders.set('Nats-Expected-Stream', 'THOUGHT');
  bareHeaders.set('Nats-Expected-Last-Subject-Sequence', '0');

  const calibration = (name: string): Timed =>
    prepared(name, async (events) => {
      await inFlight(events, width, ({ subject, bytes }) => bare.nc.request(subject, bytes, { timeout: 10_000, headers: bareHeaders }));
    });
  const appended = prepared('prepared', async (events) => {
    await inFlight(events, width, (event) => broker.log.append(event));
  });
  const encoded = given('encoded', async (events) => {
    await inFlight(events, width, (draft) => broker.log.append(encodeEvent(draft)));
  });
  return [
    {
      name: 'append of prepared bytes',
      bar: 0.9,
      unit: 'events',
      calibration: { ...calibration('bare-a'), name: 'bare pipelined publish' },
      subject: appended,
    },
    {
      name: 'append with validation and canonical form',
      bar: 0.5,
      unit: 'events',
      calibration: { ...calibration('bare-b'), name: 'bare pipelined publish' },
      subject: encoded,
    },
  ];
}

type Drafts = readonly EventDraft<'outputProduced'>[];

/** Timed from drafts on: validation and canonical form are part of the work. */
function given(name: string, work: (events: Drafts) => Promise<void>): Timed {
  let events: Drafts = [];
  return {
    name,
    prepare: async (round) => {
      events = drafts(`${name}-${round}`);
    },
    work: async () => {
      await work(events);
      return events.length;
    },
  };
}

/** Timed from bytes on. */
function prepared(name: string, work: (events: readonly EncodedEvent[]) => Promise<void>): Timed {
  let events: readonly EncodedEvent[] = [];
  return {
    name,
    prepare: async (round) => {
      events = drafts(`${name}-${round}`).map((draft) => encodeEvent(draft));
    },
    work: async () => {
      await work(events);
      return events.length;
    },
  };
}

/** Output events alone: the largest of the three of a run. */
const drafts = (series: string): Drafts =>
  Array.from({ length: eventsPerRound }, (_, number) => runDrafts(series, number * 5)[2] as EventDraft<'outputProduced'>);
