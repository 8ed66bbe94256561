import {
  type AgentDeclared,
  type AgentWritten,
  compileContract,
  declareAgent,
  encodeEvent,
  type EventOf,
  type OutputContract,
  type Provenance,
  readEvent,
  type SpokenSegment,
  subjects,
  type TranscriptCapture,
  transcriptCorrection,
  writeTranscript,
} from '@emend/contracts';
import type { EventLog, Objects, StoredEvent } from '@emend/log';

export const contract: OutputContract = compileContract(transcriptCorrection);
export const toldAt = '2026-11-30T10:00:00.000Z';

export const provenance: Provenance = {
  provider: 'fake',
  model: 'small-1',
  executionAdapter: 'fake@1',
  learnedAdapter: null,
  catalog: { digest: 'b'.repeat(64), generation: 1 },
};

export const corrector = (change: Partial<AgentWritten> = {}): AgentDeclared =>
  declareAgent({
    id: 'transcript-correction',
    version: 1,
    role: 'standard',
    tier: 'transcripts',
    subscriptions: ['stream.thought.source.transcript.captured'],
    contract: contract.ref,
    prompt: 'Correct the transcript.',
    outputPrivacy: 'public',
    learnedAdapter: null,
    limits: { outputTokensMax: 4_096, generationMs: 120_000 },
    enabled: false,
    ...change,
  });

const envelope = { source: 'studio', time: toldAt, privacy: 'public', sourceClass: 'public-source' } as const;
export const contractDeclared = encodeEvent({
  ...envelope,
  name: 'contractDeclared',
  data: { definition: transcriptCorrection, hash: contract.ref.hash },
});
export const agentDeclared = (agent: AgentDeclared) => encodeEvent({ ...envelope, name: 'agentDeclared', data: agent });

export const spoken = (text: string, speaker: string | null = 'Anna'): SpokenSegment => ({ speaker, startMs: 0, endMs: 1_500, text });

/** Segments of which the first one has a word too much. */
export const shortTalk: readonly SpokenSegment[] = [spoken('um the tide fell at nine'), spoken('it rose again at four', null)];

/** So many segments that neither they nor what comes of them has room in an event. */
export const longTalk = (count = 900): readonly SpokenSegment[] =>
  Array.from({ length: count }, (_, at) => spoken(`um the tide of sentence ${at + 1} fell again and again until nine`));

export const captureOf = (segments: readonly SpokenSegment[], change: Partial<TranscriptCapture> = {}): TranscriptCapture => ({
  producer: 'studio',
  capture: 't001',
  time: toldAt,
  privacy: 'public',
  sourceClass: 'public-source',
  language: 'en',
  segments,
  ...change,
});

/** Appends a transcript as a producer does: its object first, where it has one. */
export async function captured(
  log: EventLog,
  objects: Pick<Objects, 'put'>,
  segments: readonly SpokenSegment[] = shortTalk,
  change: Partial<TranscriptCapture> = {},
): Promise<StoredEvent> {
  const written = writeTranscript(captureOf(segments, change));
  const event = written.kind === 'inline' ? written.event : written.eventWith(await objects.put(written.root, written.bytes));
  await log.append(event);
  return storedAt(log, event.subject);
}

export async function storedAt(log: EventLog, subject: string): Promise<StoredEvent> {
  const stored = await log.get(subject);
  if (stored === null) throw new Error(`nothing stands on ${subject}`);
  return stored;
}

export function sourceIn(stored: { readonly subject: string; readonly bytes: Uint8Array }): EventOf<'sourceCaptured'> {
  const read = readEvent(stored);
  if (read.kind !== 'event' || read.event.name !== 'sourceCaptured') throw new Error('a source is an event');
  return read.event;
}

export const sourcePlace = (capture = 't001'): string => subjects.source({ kind: 'transcript', producer: 'studio', capture });
