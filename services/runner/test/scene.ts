import {
  type AgentDeclared,
  type AgentWritten,
  compileContract,
  declareAgent,
  type EventDraft,
  type EventName,
  encodeEvent,
  type EventOf,
  eventIdOf,
  type OutputContract,
  observation,
  type Provenance,
  readEvent,
  type SandboxDigests,
  subjects,
} from '@emend/contracts';
import type { EventLog, StoredEvent } from '@emend/log';

export const sourceText = 'The tide gauge at the north pier read 4.12 m at 06:40.';
export const toldAt = '2026-11-30T10:00:00.000Z';

/** Compiled once a file: it is what takes the time of a test. */
export const contract: OutputContract = compileContract(observation);

export const digests: SandboxDigests = {
  command: 'c'.repeat(64),
  filter: 'd'.repeat(64),
  node: 'e'.repeat(64),
  worker: 'f'.repeat(64),
};

export const provenance: Provenance = {
  provider: 'fake',
  model: 'small-1',
  executionAdapter: 'fake@1',
  learnedAdapter: null,
  catalog: { digest: 'b'.repeat(64), generation: 1 },
};

export const observer = (change: Partial<AgentWritten> = {}): AgentDeclared =>
  declareAgent({
    id: 'observer',
    version: 1,
    role: 'standard',
    tier: 'primary',
    subscriptions: ['stream.thought.source.note.captured'],
    contract: contract.ref,
    prompt: 'You write observations.',
    outputPrivacy: 'public',
    learnedAdapter: null,
    limits: { outputTokensMax: 512, generationMs: 30_000 },
    enabled: true,
    ...change,
  });

type Draft = { readonly [Name in EventName]: EventDraft<Name> }[EventName];
const envelope = { source: 'field-notes', time: toldAt, privacy: 'public', sourceClass: 'public-source' } as const;

// One encoder for all names: the draft's own name says which type it is.
const encode = (draft: Draft) => encodeEvent(draft as EventDraft<'repairRequested'>);

export const contractDeclared = encode({
  ...envelope,
  name: 'contractDeclared',
  data: { definition: observation, hash: contract.ref.hash },
});
export const agentDeclared = (agent: AgentDeclared) => encode({ ...envelope, name: 'agentDeclared', data: agent });
export const noteCaptured = (capture = 'n001', text = sourceText) =>
  encode({ ...envelope, name: 'sourceCaptured', data: { producer: 'field-notes', capture, kind: 'note', text } });

/** A source as the runner reads it. */
export function sourceOf(capture = 'n001', text = sourceText): EventOf<'sourceCaptured'> {
  const read = readEvent(noteCaptured(capture, text));
  if (read.kind !== 'event' || read.event.name !== 'sourceCaptured') throw new Error('a source is an event');
  return read.event;
}

/** What a good model says of a note. */
export function validFor(capture = 'n001') {
  const eventId = eventIdOf(subjects.source({ kind: 'note', producer: 'field-notes', capture }));
  return {
    title: 'Tide above the table',
    summary: 'The gauge read 4.12 m.',
    tags: ['tide'],
    confidence: 0.9,
    evidence: [{ eventId, quote: 'read 4.12 m' }],
  };
}

/** Appends one note and returns it as stored. */
export async function captured(log: EventLog, capture = 'n001', text = sourceText): Promise<StoredEvent> {
  const event = noteCaptured(capture, text);
  await log.append(event);
  const stored = await log.get(event.subject);
  if (stored === null) throw new Error('a note was stored');
  return stored;
}
