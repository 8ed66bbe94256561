import {
  type AgentWritten,
  compileContract,
  eventIdOf,
  fingerprintOf,
  observation,
  type Provenance,
  promptHashOf,
  readCapturedSegments,
  readEvent,
  runIdOf,
  subjects,
  type ThoughtEvent,
} from '@emend/contracts';
import { type Broker, LogError } from '@emend/log';
import { memoryBroker } from '@emend/log/memory';
import { beforeEach, describe, expect, it } from 'vitest';
import { ClientError, Producer } from '../src/index.js';

const model: Provenance = {
  provider: 'test',
  model: 'test-1',
  executionAdapter: 'test@1',
  learnedAdapter: null,
  catalog: { digest: 'a'.repeat(64), generation: 0 },
};
const contract = compileContract(observation);
const agent: AgentWritten = {
  id: 'test.observer',
  version: 1,
  role: 'standard',
  tier: 'small',
  subscriptions: [],
  contract: contract.ref,
  prompt: 'Observe.',
  outputPrivacy: 'public',
  learnedAdapter: null,
  limits: { outputTokensMax: 100, generationMs: 1_000 },
  enabled: true,
};
const text = 'The gauge stood at 2.14 m.';
const trigger = subjects.source({ kind: 'note', producer: 'notes', capture: 'n1' });
const valid = JSON.stringify({
  title: 'Gauge',
  summary: 'It stood.',
  tags: [],
  confidence: 1,
  evidence: [{ eventId: eventIdOf(trigger), quote: '2.14 m' }],
});

let broker: Broker;
let producer: Producer;
let now: number;

beforeEach(async () => {
  broker = memoryBroker();
  now = Date.UTC(2026, 0, 1);
  producer = new Producer({ log: broker.log, producer: 'notes', now: () => (now += 1_000) });
  await producer.declareContract(observation);
  await producer.declareAgent(agent);
  await producer.capture({ kind: 'note', capture: 'n1', text, privacy: 'public', sourceClass: 'public-source' });
});

const start = () => producer.start({ reference: 'r1', agent: { id: agent.id, version: 1 }, trigger, model });
const code = (error: unknown): string => (error instanceof ClientError ? error.code : 'another error');

async function endOf(reference = 'r1'): Promise<ThoughtEvent> {
  const stored = await broker.log.get(subjects.runEnded({ producer: 'notes', run: runIdOf({ producer: 'notes', reference }) }));
  const read = stored && readEvent(stored);
  if (read?.kind !== 'event') throw new Error('no end');
  return read.event;
}

describe('a run', () => {
  it("with a valid answer ends with its output and the contract's identity (T51, T52)", async () => {
    const end = await (await start()).end({ text: valid, finishReason: 'stop' });
    expect(end).toMatchObject({ kind: 'produced', fresh: true });
    const event = await endOf();
    expect(event).toMatchObject({ name: 'outputProduced', privacy: 'public', sourceClass: 'public-source', rootId: eventIdOf(trigger) });
    expect(event.name === 'outputProduced' && event.data.contract).toEqual(contract.ref);
  });

  it("claims with a manifest that names the contract's identity, its agent and its sources (T51)", async () => {
    const { id } = await start();
    const stored = await broker.log.get(subjects.runStarted({ producer: 'notes', run: id }));
    const read = stored && readEvent(stored);
    expect(read?.kind === 'event' && read.event.data).toMatchObject({
      contract: contract.ref,
      agent: { id: agent.id, version: 1, promptHash: promptHashOf(agent.prompt), fingerprint: fingerprintOf(agent) },
      manifest: { sources: [trigger] },
    });
  });

  const answers: readonly (readonly [string, string, string | undefined, string])[] = [
    ['text that is no JSON', '{"title": nonsense}', 'stop', 'invalid_json'],
    ['no text', '', 'stop', 'invalid_json'],
    ['JSON that breaks the contract', '{"title":"only"}', 'stop', 'contract_violation'],
    ['a quote that is not in the source', valid.replace('2.14 m', '9.99 m'), 'stop', 'semantic_validation'],
    ['complete JSON that was cut off', valid, 'length', 'truncated'],
    ['a refusal', valid, 'content_filter', 'refused'],
    ['open JSON without a finish reason', '{"title":', undefined, 'truncated'],
  ];
  it.each(answers)('with %s ends in a sanitized failure', async (_what, raw, finishReason, kind) => {
    const end = await (await start()).end({ text: raw, finishReason });
    expect(end.kind === 'failed' && end.diagnostic.class).toBe(kind);
    expect(end.kind === 'failed' && end.diagnostic.candidateBytes).toBe(Buffer.byteLength(raw));
  });

  it('that got no answer ends in the class it is told', async () => {
    const end = await (await start()).fail('timeout');
    expect(end).toMatchObject({ kind: 'failed', diagnostic: { class: 'timeout', issues: [] } });
  });

  it('never lets the wording of a refused answer into the log (T54)', async () => {
    const canary = 'canary7c1f';
    await (await start()).end({ text: `{"title":"${canary}","${canary}":1}`, finishReason: 'stop' });
    for (let sequence = 1; sequence <= (await broker.log.lastSequence()); sequence += 1) {
      expect(new TextDecoder().decode((await broker.log.at(sequence))?.bytes)).not.toContain(canary);
    }
  });

  it('said again is the same run: nothing more is stored', async () => {
    await (await start()).end({ text: valid, finishReason: 'stop' });
    const before = await broker.log.lastSequence();
    const again = await (await start()).end({ text: valid, finishReason: 'stop' });
    expect(again).toMatchObject({ kind: 'produced', fresh: false });
    expect(await broker.log.lastSequence()).toBe(before);
  });

  it('that ended otherwise before is a conflict, and the first end stands', async () => {
    await (await start()).end({ text: valid, finishReason: 'stop' });
    await expect((await start()).end({ text: '', finishReason: 'stop' }).catch(code)).resolves.toBe('place_taken');
    expect((await endOf()).name).toBe('outputProduced');
  });

  const missing = [
    ['a trigger that is not in the log', { trigger: subjects.source({ kind: 'note', producer: 'notes', capture: 'n9' }) }],
    ['a trigger that is no source', { trigger: subjects.contract(contract.ref) }],
    ['an agent that was not declared', { agent: { id: 'test.other', version: 1 } }],
  ] as const;
  it.each(missing)('does not start on %s', async (_what, change) => {
    const started = producer.start({ reference: 'r1', agent: { id: agent.id, version: 1 }, trigger, model, ...change });
    await expect(started.catch(code)).resolves.toBe('reference_missing');
  });

  it('does not start where its agent is declared for other content of the contract (T48, T49)', async () => {
    const contractOfOthers = { ...contract.ref, hash: 'e'.repeat(64) };
    await producer.declareAgent({ ...agent, version: 2, contract: contractOfOthers });
    const started = producer.start({ reference: 'r1', agent: { id: agent.id, version: 2 }, trigger, model });
    await expect(started.catch(code)).resolves.toBe('contract_hash_differs');
  });
});

describe('privacy', () => {
  it('of a source is the closest unless its producer says otherwise', async () => {
    const { event } = await producer.capture({ kind: 'note', capture: 'n2', text });
    expect([event.privacy, event.sourceClass]).toEqual(['private', 'restricted-source']);
  });

  it('of a run on a private source is private, whatever its declaration allows', async () => {
    const { event } = await producer.capture({ kind: 'note', capture: 'n2', text });
    const run = await producer.start({ reference: 'r2', agent: { id: agent.id, version: 1 }, trigger: event.subject, model });
    await run.end({ text: '', finishReason: 'stop' });
    expect(await endOf('r2')).toMatchObject({ privacy: 'private', sourceClass: 'restricted-source' });
  });
});

describe('the text of a failed answer', () => {
  it("goes to the quarantine where the producer has one, under the run's id", async () => {
    const quarantine = await broker.view('quarantine');
    const keeping = new Producer({ log: broker.log, producer: 'notes', quarantine, now: () => now });
    const run = await keeping.start({ reference: 'r1', agent: { id: agent.id, version: 1 }, trigger, model });
    await run.end({ text: 'not json', finishReason: 'stop' });
    expect(new TextDecoder().decode((await quarantine.get(run.id))?.bytes)).toBe('not json');
  });

  it('goes nowhere without one', async () => {
    await (await start()).end({ text: 'not json', finishReason: 'stop' });
    const keys: string[] = [];
    for await (const key of (await broker.view('quarantine')).keys()) keys.push(key);
    expect(keys).toEqual([]);
  });
});

it('a version that is bound to other content is refused', async () => {
  const other = { ...observation, promptDescription: 'Another.' };
  await expect(producer.declareContract(other).catch(code)).resolves.toBe('place_taken');
});

describe('a transcript', () => {
  const segment = (said: string) => ({ speaker: 'anna', startMs: 0, endMs: 1_500, text: said });
  const objects = () => broker.objects('transcripts');

  it('that has room is in its event, and the bucket is not asked for', async () => {
    const capture = { capture: 't1', segments: [segment(text)], glossary: ['gauge'] };
    const none = () => Promise.reject(new Error('nobody needs it'));
    const first = await producer.captureTranscript(capture, none);
    expect(first).toMatchObject({ fresh: true, event: { privacy: 'private', data: { kind: 'transcript', text } } });
    expect(first.event.data.transcript).toEqual({ glossary: ['gauge'], body: { segments: [segment(text)] } });
    expect(await producer.captureTranscript(capture, none)).toMatchObject({ fresh: false, sequence: first.sequence });
    const other = { ...capture, segments: [segment('Something else.')] };
    await expect(producer.captureTranscript(other, none).catch(code)).resolves.toBe('place_taken');
  });

  it('that has none is stored beside it, and the event names what is stored', async () => {
    const capture = { capture: 't2', segments: Array.from({ length: 3_000 }, () => segment(text)) };
    const { event } = await producer.captureTranscript(capture, objects);
    const body = event.data.transcript?.body;
    if (body === undefined || !('object' in body)) throw new Error('no object is named');
    const got = await (await objects()).get(body.object, { bytesMax: 1_000_000 });
    expect(got.kind === 'got' ? readCapturedSegments(got.bytes) : got).toEqual(capture.segments);
    expect(await producer.captureTranscript(capture, objects)).toMatchObject({ fresh: false });
  });

  it('whose object cannot be stored has no event', async () => {
    const capture = { capture: 't3', segments: Array.from({ length: 3_000 }, () => segment(text)) };
    const full = () => Promise.reject(new LogError('objects_full', 'the bucket takes nothing more'));
    await expect(producer.captureTranscript(capture, full)).rejects.toMatchObject({ code: 'objects_full' });
    expect(await broker.log.get(subjects.source({ kind: 'transcript', producer: 'notes', capture: 't3' }))).toBeNull();
  });
});
