import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  canonicalBytes,
  compileContract,
  declareAgent,
  type EventDraft,
  type EventName,
  encodeEvent,
  type EventOf,
  readEvent,
  type SpokenSegment,
  type TranscriptCorrection,
  type TranscriptOutput,
  transcriptCorrection,
} from '@emend/contracts';
import { type Broker, bootstrap, connect, parseDefinitions } from '@emend/log';
import { startTestServer, workspaceRoot } from '@emend/log/server';
import { abandonedDraft, type Attempt, claimDraft, endDraft, withoutOutput } from '@emend/runs/decisions';

export const contract = compileContract(transcriptCorrection);
export const agent = declareAgent({
  id: 'transcript-correction',
  version: 1,
  role: 'standard',
  tier: 'transcripts',
  subscriptions: ['stream.thought.source.transcript.captured'],
  contract: contract.ref,
  prompt: 'The prompts are files of the service.',
  outputPrivacy: 'public',
  learnedAdapter: null,
  limits: { outputTokensMax: 4_096, generationMs: 120_000 },
  enabled: true,
});

const mebibytes = 1024 * 1024;

/** A broker of its own, with the shipped log and its bucket of objects, small enough for a test’s disk. */
export async function logOfTranscripts() {
  const server = await startTestServer();
  const shipped = parseDefinitions(JSON.parse(readFileSync(path.join(workspaceRoot(), 'deploy/jetstream.json'), 'utf8')) as unknown);
  const modest = <Part extends { readonly maxBytes: number }>(part: Part): Part => ({ ...part, maxBytes: 64 * mebibytes });
  const definitions = { streams: shipped.streams.map(modest), buckets: [], objects: (shipped.objects ?? []).map(modest), durables: [] };
  await bootstrap({ servers: server.url, definitions });
  const broker = await connect({ servers: server.url, name: 'test', stream: 'THOUGHT' });
  return {
    url: server.url,
    broker,
    async close(): Promise<void> {
      await broker.close();
      await server.remove();
    },
  };
}

type Draft = { readonly [Name in EventName]: EventDraft<Name> }[EventName];
const time = '2026-11-30T12:00:00.000Z';
const envelope = { source: 'test', time, privacy: 'private', sourceClass: 'restricted-source' } as const;

export async function append({ log }: Broker, draft: Draft): Promise<void> {
  const appended = await log.append(encodeEvent(draft as EventDraft<'repairRequested'>));
  if (appended.kind !== 'appended') throw new Error(appended.kind);
}
export const declared = (broker: Broker) => append(broker, { ...envelope, name: 'agentDeclared', data: agent });
export const erased = (broker: Broker, place: string) =>
  append(broker, { ...envelope, name: 'erased', source: 'erase', rootId: 'r'.repeat(22), data: { place } });

export async function sourceAt({ log }: Broker, place: string): Promise<EventOf<'sourceCaptured'>> {
  const stored = await log.get(place);
  const read = stored && readEvent(stored);
  if (read?.kind !== 'event' || read.event.name !== 'sourceCaptured') throw new Error('a source stands there');
  return read.event;
}

export const attemptAt = async (broker: Broker, place: string, n = 1): Promise<Attempt> => ({
  producer: 'transcripts',
  source: await sourceAt(broker, place),
  agent,
  n,
});

const model = {
  provider: 'fake',
  model: 'm',
  executionAdapter: 'fake@1',
  learnedAdapter: null,
  catalog: { digest: 'b'.repeat(64), generation: 1 },
};
const claimOf = (attempt: Attempt) => claimDraft(attempt, { time, claimant: 'c'.repeat(22), model, promptHash: 'd'.repeat(64) });

export const claim = (broker: Broker, attempt: Attempt) => append(broker, claimOf(attempt));
export const abandon = (broker: Broker, attempt: Attempt) => {
  const read = readEvent(encodeEvent(claimOf(attempt)));
  return append(broker, abandonedDraft(attempt, read));
};
export const fail = (broker: Broker, attempt: Attempt) =>
  append(broker, endDraft(attempt, { kind: 'failure', time, diagnostic: withoutOutput('timeout', contract.ref) }));
export const end = (broker: Broker, attempt: Attempt, output: TranscriptOutput) =>
  append(broker, endDraft(attempt, { kind: 'output', time, output: output as never, completion: 'exact' }));

/** What follows from the stored end, as the service writes it. */
export async function derive(broker: Broker, attempt: Attempt, output: TranscriptOutput): Promise<void> {
  const ended = readEvent(
    encodeEvent(endDraft(attempt, { kind: 'output', time, output: output as never, completion: 'exact' }) as EventDraft<'outputProduced'>),
  );
  if (ended.kind !== 'event' || ended.event.name !== 'outputProduced') throw new Error('an end');
  const { id, rootId, data } = ended.event;
  const { producer, run, trigger } = data;
  await append(broker, {
    ...envelope,
    name: 'transcriptCorrected',
    rootId,
    causationId: id,
    data: { ...output, producer, run, trigger, ended: id, contract: contract.ref },
  });
}

const noCalls = { calls: 0, transportRetries: 0, structuralRepairs: 0, repairedReplies: 0, promptTokens: null, completionTokens: null };

/** An output with these corrections in it, in the event or in the bucket. */
export async function outputOf(
  broker: Broker,
  {
    segments,
    corrections,
    beside = false,
  }: { readonly segments: SpokenSegment[]; readonly corrections: TranscriptCorrection[]; readonly beside?: boolean },
): Promise<TranscriptOutput> {
  const report = {
    sections: 1,
    proposed: corrections.length,
    applied: corrections.length,
    dispositions: {},
    calls: { proposals: noCalls, decisions: noCalls, revisions: noCalls },
  };
  if (!beside) return { language: 'en', report, body: { segments, corrections } };
  const bytes = canonicalBytes({ segments, corrections, repairOutcomes: [], notApplied: [] });
  const object = await (await broker.objects('transcripts')).put('r'.repeat(22), bytes);
  return { language: 'en', report, body: { object, segments: segments.length, corrections: corrections.length } };
}
