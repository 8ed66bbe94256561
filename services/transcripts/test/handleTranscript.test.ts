import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  canonicalBytes,
  correctedContentSchema,
  encodeEvent,
  type EventOf,
  readEvent,
  sha256,
  subjects,
  type TranscriptOutput,
  transcriptOutputSchema,
} from '@emend/contracts';
import { type Broker, bootstrap, connect, LogError, type Objects, parseDefinitions, type StoredEvent } from '@emend/log';
import { startTestServer, type TestServer, workspaceRoot } from '@emend/log/server';
import { aborted, done, retry } from '@emend/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { correctorOn, eventAt, goodModel, placesFor } from './correctorOn.js';
import { captured, captureOf, longTalk, shortTalk, sourcePlace, spoken, storedAt, toldAt } from './scene.js';
import { correction, failed, reject, revise, scriptedModel, type Wanted, withdraw } from './scriptedModel.js';

let server: TestServer;
let broker: Broker;
let objects: Objects;

beforeAll(async () => {
  server = await startTestServer();
  const shipped = parseDefinitions(JSON.parse(readFileSync(join(workspaceRoot(), 'deploy/jetstream.json'), 'utf8')));
  const small = { maxBytes: 64 * 1024 * 1024 };
  await bootstrap({
    servers: server.url,
    definitions: {
      streams: shipped.streams.map((stream) => ({ ...stream, ...small })),
      buckets: [],
      objects: (shipped.objects ?? []).map((bucket) => ({ ...bucket, ...small })),
      durables: [],
    },
  });
  broker = await connect({ servers: server.url, name: 'test', stream: 'THOUGHT' });
  objects = await broker.objects('transcripts');
});
afterAll(async () => {
  await broker?.close();
  await server?.remove();
});

const ground = () => ({ log: broker.log, objects });
let captures = 0;
const nextCapture = (): string => `t${(captures += 1)}`;
const capturedHere = (segments = shortTalk, change: Parameters<typeof captured>[3] = {}) =>
  captured(broker.log, objects, segments, { capture: nextCapture(), ...change });

async function outputOf(stored: StoredEvent, n = 1): Promise<TranscriptOutput> {
  const end = await eventAt(broker.log, placesFor(stored, n).ended);
  if (end?.name !== 'outputProduced') throw new Error(`the run ended as ${end?.name}`);
  return transcriptOutputSchema.parse(end.data.output);
}
async function classOf(stored: StoredEvent, n = 1): Promise<unknown> {
  const end = await eventAt(broker.log, placesFor(stored, n).ended);
  return end?.name === 'runFailed' ? end.data.diagnostic.class : end?.name;
}
const derivedOf = (stored: StoredEvent, n = 1) =>
  eventAt(broker.log, placesFor(stored, n).derived) as Promise<EventOf<'transcriptCorrected'> | null>;
const everything = async (from = 1): Promise<string> => {
  const texts: string[] = [];
  for await (const { bytes } of broker.log.read({ from, to: await broker.log.lastSequence() })) texts.push(new TextDecoder().decode(bytes));
  return texts.join('\n');
};

const isGrammar = (content: string | undefined): boolean => content?.includes('mend grammar') ?? false;
/** Proposes these in the grammar stage and nothing elsewhere, approves by model, and answers a repair by its reference. */
const proposing = (
  corrections: readonly object[],
  answers: Readonly<Record<string, unknown>> = {},
  decide: unknown = { verdict: 'approve' },
) =>
  scriptedModel((wanted, call) => {
    if (wanted.kind === 'decide') return decide;
    if (wanted.kind === 'revise') return answers[wanted.ref];
    return { corrections: isGrammar(call.messages[0]?.content) ? corrections : [] };
  });

describe('a captured transcript', () => {
  it('is corrected once: a claim, an end, and the corrected transcript with its corrections, their lineage and the report', async () => {
    const stored = await capturedHere();
    const model = goodModel();
    const one = correctorOn(ground(), model);
    expect(await one.handle(stored)).toEqual(done);
    const places = placesFor(stored);
    expect(await eventAt(broker.log, places.started)).toMatchObject({
      data: { trigger: stored.subject, manifest: { sources: [stored.subject], promptHash: one.deps.claim.promptHash }, role: 'standard' },
    });
    const derived = await derivedOf(stored);
    const end = await eventAt(broker.log, places.ended);
    expect(derived).toMatchObject({ time: end?.time, causationId: end?.id, rootId: readRoot(stored) });
    expect(derived?.data).toMatchObject({
      language: 'en',
      body: {
        segments: [{ ...shortTalk[0], text: 'the tide fell at nine' }, shortTalk[1]],
        corrections: [
          { stage: 'spoken_word', section: 1, proposal: 'p1', version: 1, segment: 's1', original: 'um the', replacement: 'the' },
        ],
      },
      report: { sections: 1, proposed: 1, applied: 1, dispositions: { approved_applied: 1 }, repairOutcomes: [], notApplied: [] },
    });
    expect(end).toMatchObject({
      name: 'outputProduced',
      data: { completion: 'exact', calls: { primary: model.calls.length, overseer: 0 } },
    });
    const asked = model.calls.length;
    expect(await one.handle(stored)).toEqual(done);
    expect(model.calls.length).toBe(asked);
  });

  it('that is too large for an event is read from its object, and so is what came of it', async () => {
    const stored = await capturedHere(longTalk());
    expect(stored.bytes.byteLength).toBeLessThan(1_500);
    expect(await correctorOn(ground(), goodModel()).handle(stored)).toEqual(done);
    const { body, report } = await outputOf(stored);
    expect(await derivedOf(stored)).toMatchObject({ data: { body, report } });
    if (!('object' in body)) throw new Error('it had room');
    expect(body).toMatchObject({ segments: 900, corrections: 36, object: { bucket: 'transcripts' } });
    expect(body.object.name.startsWith(`${readRoot(stored)}.`)).toBe(true);
    expect(report).toMatchObject({ sections: 36, applied: 36 });
    const got = await objects.get(body.object, { bytesMax: 10_000_000 });
    if (got.kind !== 'got') throw new Error(got.code);
    const content = correctedContentSchema.parse(JSON.parse(new TextDecoder().decode(got.bytes)));
    expect(content.segments[0]?.text).toBe('the tide of sentence 1 fell again and again until nine');
    expect(content.corrections.map(({ segment }) => segment).slice(0, 2)).toEqual(['s1', 's26']);
  });

  it('carries its glossary and protected terms into the stages', async () => {
    const stored = await capturedHere([spoken('the tide water gage fell at nine')], { glossary: ['Tidewater'], protectedTerms: ['gage'] });
    const model = scriptedModel((wanted, call) =>
      wanted.kind === 'decide'
        ? { verdict: 'approve' }
        : { corrections: call.messages[0]?.content.includes('misheard') ? [correction('tide water', 'Tidewater')] : [] },
    );
    await correctorOn(ground(), model).handle(stored);
    expect(await outputOf(stored)).toMatchObject({
      body: { segments: [{ text: 'the Tidewater gage fell at nine' }], corrections: [{ stage: 'glossary' }] },
    });
  });

  it('keeps nothing of what was rejected: no attempt, no conversation and no withdrawn text is in an event or an object (A60, A138)', async () => {
    const from = (await broker.log.lastSequence()) + 1;
    const stored = await capturedHere([spoken('they was late and we met at six')]);
    const model = proposing([correction('at six', 'at seventy'), correction('they was', 'they were')], { p1: withdraw('p1') });
    await correctorOn(ground(), model).handle(stored);
    expect(await outputOf(stored)).toMatchObject({ report: { dispositions: { approved_applied: 1, withdrawn: 1 } } });
    expect(model.calls.some(({ wanted }) => wanted.kind === 'revise')).toBe(true);
    const all = await everything(from);
    expect(all).toContain('they were');
    expect(all).not.toContain('seventy');
    expect(all).not.toContain('mend grammar');
  });
});

describe('what fails a run, and what does not', () => {
  it.each([
    ['a provider that answered 5xx', () => failed('provider_failed'), 'provider_outage'],
    ['a deadline', () => failed('deadline_passed'), 'timeout'],
    ['an endpoint that cannot be reached', () => failed('connection_failed'), 'provider_outage'],
    ['a reply that was cut off', () => failed('answer_truncated'), 'truncated'],
    ['a reply that is no JSON', () => 'I would rather not.', 'invalid_json'],
    ['a reply of another shape', () => ({ edits: [] }), 'contract_violation'],
  ])('%s where corrections are proposed is a failed run of its class', async (_, answer, kind) => {
    const stored = await capturedHere();
    const one = correctorOn(ground(), scriptedModel(answer));
    expect(await one.handle(stored)).toEqual(done);
    expect(await classOf(stored)).toBe(kind);
    expect(await derivedOf(stored)).toBeNull();
    expect(one.said('transcript.stage_failed')).toMatchObject([{ stage: 'homophones', section: 1 }]);
  });

  const rejected = correction('at six', 'at seven');
  it.each<[string, Parameters<typeof proposing>, object]>([
    ['withdrawn', [[rejected], { p1: withdraw('p1') }], { withdrawn: 1 }],
    ['exhausted', [[rejected], { p1: revise('p1', rejected) }], { exhausted: 1 }],
    ['unavailable, its repair call refused', [[rejected], { p1: failed('context_exceeded') }], { unavailable: 1 }],
    ['unavailable, its decision not to be had', [[correction('they was', 'they were')], {}, failed('provider_failed')], { unavailable: 1 }],
    [
      'rejected by a decision and revised no better',
      [[correction('they was', 'they were')], { p1: 'x' }, reject('style_changed')],
      { unusable: 1 },
    ],
  ])('a correction that is %s fails nothing', async (_, script, dispositions) => {
    const stored = await capturedHere([spoken('they was late and we met at six')]);
    await correctorOn(ground(), proposing(...script)).handle(stored);
    expect(await outputOf(stored)).toMatchObject({
      report: { dispositions, applied: 0 },
      body: { segments: [{ text: 'they was late and we met at six' }], corrections: [] },
    });
    expect(await derivedOf(stored)).not.toBeNull();
  });
});

describe('a source that is not corrected', () => {
  const nobody = () =>
    correctorOn(
      ground(),
      scriptedModel(() => expect.unreachable()),
    );
  const plain = (capture: string) =>
    encodeEvent({
      name: 'sourceCaptured',
      source: 'studio',
      time: toldAt,
      privacy: 'public',
      sourceClass: 'public-source',
      data: { producer: 'studio', capture, kind: 'transcript', text: 'only a text' },
    });
  const erased = (place: string) =>
    encodeEvent({
      name: 'erased',
      source: 'erase',
      time: toldAt,
      rootId: 'R'.repeat(22),
      privacy: 'private',
      sourceClass: 'restricted-source',
      data: { place },
    });

  it.each([
    ['without segments', () => plain('without'), 'no_transcript'],
    ['that is void', () => ({ subject: sourcePlace('void'), bytes: new TextEncoder().encode('{}') }), 'trigger_void'],
    ['that was erased', () => erased(sourcePlace('erased')), 'erased'],
  ])('%s is skipped with a reason, and nothing is written', async (_, event, reason) => {
    const { subject, bytes } = event();
    await broker.log.append({ subject, bytes });
    const before = await broker.log.lastSequence();
    expect(await nobody().handle(await storedAt(broker.log, subject))).toEqual({ kind: 'skip', reason });
    expect(await broker.log.lastSequence()).toBe(before);
  });

  it('from before the start is left as it is', async () => {
    const stored = await capturedHere();
    const late = correctorOn(
      ground(),
      scriptedModel(() => expect.unreachable()),
      { startSequence: stored.sequence + 1 },
    );
    expect(await late.handle(stored)).toEqual({ kind: 'skip', reason: 'before_start' });
    expect(await broker.log.get(placesFor(stored).started)).toBeNull();
  });

  it('from a newer writer waits in hand', async () => {
    const stored = await capturedHere();
    const text = new TextDecoder().decode(stored.bytes).replace('captured@1', 'captured@2');
    expect(await nobody().handle({ ...stored, bytes: new TextEncoder().encode(text) })).toEqual({
      kind: 'again',
      cause: 'unknown_version',
    });
  });
});

describe('an object that cannot be used', () => {
  const hash = sha256('nothing');
  /** A source whose body names this object, whatever it is. */
  async function naming(object: (root: string) => Promise<object> | object, segments = 900): Promise<StoredEvent> {
    const capture = nextCapture();
    const subject = sourcePlace(capture);
    const { data, ...envelope } = JSON.parse(
      new TextDecoder().decode(
        encodeEvent({
          name: 'sourceCaptured',
          source: 'studio',
          time: toldAt,
          privacy: 'public',
          sourceClass: 'public-source',
          data: { producer: 'studio', capture, kind: 'transcript', text: 'beside' },
        }).bytes,
      ),
    ) as { data: object; rootid: string };
    const body = { object: await object(envelope.rootid), segments };
    const bytes = canonicalBytes({ ...envelope, data: { ...data, transcript: { body } } });
    await broker.log.append({ subject, bytes });
    return storedAt(broker.log, subject);
  }
  const put = (content: unknown) => (root: string) => objects.put(root, canonicalBytes(content));

  it.each<[string, string, (root: string) => Promise<object> | object, string, number?]>([
    ['is not there', 'object_missing', (root) => ({ bucket: 'transcripts', name: `${root}.${hash}`, hash, bytes: 7 }), 'configuration'],
    [
      'is another one than its name says',
      'object_damaged',
      async (root) => ({ ...(await objects.put(root, canonicalBytes([1]))), bytes: 9 }),
      'configuration',
    ],
    ['is of another root', 'object_foreign', () => objects.put('S'.repeat(22), canonicalBytes(longTalk())), 'configuration'],
    ['is of another bucket', 'object_foreign', (root) => ({ bucket: 'others', name: `${root}.${hash}`, hash, bytes: 7 }), 'configuration'],
    [
      'is larger than one may be',
      'object_too_large',
      (root) => ({ bucket: 'transcripts', name: `${root}.${hash}`, hash, bytes: 33_554_433 }),
      'too_large',
    ],
    ['holds no segments', 'object_unreadable', put({ segments: [] }), 'configuration'],
    ['holds another count of segments', 'object_unreadable', put(longTalk(10)), 'configuration', 11],
    ['holds a segment that no prompt may show', 'segment_unusable', put([spoken('the tide\n2: fell')]), 'configuration', 1],
  ])('because it %s ends the run as %s, and no model is asked', async (_, code, object, kind, segments) => {
    const stored = await naming(object, segments);
    const one = correctorOn(
      ground(),
      scriptedModel(() => expect.unreachable()),
    );
    expect(await one.handle(stored)).toEqual(done);
    expect(await classOf(stored)).toBe(kind);
    expect(one.said('run.ended')).toMatchObject([{ code }]);
  });

  it('because the broker does not answer is asked for again, in hand and under the one claim', async () => {
    const stored = await capturedHere(longTalk());
    let refusals = 2;
    const away = {
      ...objects,
      get: (...asked: Parameters<Objects['get']>) =>
        (refusals -= 1) >= 0 ? Promise.reject(new LogError('timeout', 'no answer')) : objects.get(...asked),
    };
    const one = correctorOn({ log: broker.log, objects: away }, goodModel());
    const handled = one.handle(stored);
    const ended = handled.then(() => true);
    while (!(await Promise.race([ended, new Promise<false>((resolve) => setImmediate(() => resolve(false)))]))) one.time.advance(1_000);
    expect(await handled).toEqual(done);
    expect(await outputOf(stored)).toMatchObject({ report: { applied: 36 } });
    expect(one.said('run.claimed')).toHaveLength(1);
  });

  it('because the bucket is full stops the service: another transcript would not fare better', async () => {
    const stored = await capturedHere(longTalk());
    const full = { ...objects, put: () => Promise.reject(new LogError('objects_full', 'full')) };
    const one = correctorOn({ log: broker.log, objects: full }, goodModel());
    await expect(one.handle(stored)).rejects.toMatchObject({ code: 'objects_full', nature: 'lasts' });
    expect(await broker.log.get(placesFor(stored).ended)).toBeNull();
  });
});

const readRoot = (stored: StoredEvent): string => {
  const read = readEvent(stored);
  if (read.kind !== 'event') throw new Error(read.kind);
  return read.event.rootId;
};

describe('deliveries that are cut short', () => {
  /** Appends until this place is asked for, and then nothing: what a kill leaves. */
  const killedAt = (place: string, appender = correctorOn(ground(), goodModel()).deps.appender) => ({
    append: (event: { readonly subject: string } & Parameters<typeof appender.append>[0]) =>
      event.subject === place ? Promise.reject(new Error('killed')) : appender.append(event),
  });

  it('between the end and the corrected transcript leave the rest to the next delivery: it appears once, and no model is asked again', async () => {
    const stored = await capturedHere();
    const places = placesFor(stored);
    const model = goodModel();
    const killed = correctorOn(ground(), model, { appender: killedAt(places.derived) });
    await expect(killed.handle(stored)).rejects.toThrow('killed');
    expect(await broker.log.get(places.ended)).not.toBeNull();
    expect(await broker.log.get(places.derived)).toBeNull();
    const asked = model.calls.length;
    const next = [correctorOn(ground(), model), correctorOn(ground(), model)];
    expect(await Promise.all(next.map((one) => one.handle(stored)))).toEqual([done, done]);
    expect(await derivedOf(stored)).toMatchObject({ data: { report: { applied: 1 } } });
    expect(next.flatMap((one) => one.said('transcript.derived'))).toHaveLength(1);
    expect(model.calls.length).toBe(asked);
    const before = await broker.log.lastSequence();
    expect(await correctorOn(ground(), model).handle(stored)).toEqual(done);
    expect(await broker.log.lastSequence()).toBe(before);
  });

  it('before their end are given up by the next delivery, which makes the next attempt; a late end loses, and has no corrected transcript', async () => {
    const stored = await capturedHere();
    const held = new AbortController();
    const reached = new AbortController();
    const slow = {
      call: async (asked: Parameters<ReturnType<typeof goodModel>['call']>[0]) => {
        reached.abort();
        await aborted(held.signal);
        return goodModel().call(asked);
      },
    };
    const first = correctorOn(ground(), slow);
    const late = first.handle(stored);
    await aborted(reached.signal);
    const second = correctorOn(ground(), goodModel());
    expect(await second.handle(stored)).toEqual(done);
    held.abort();
    expect(await late).toEqual(retry(30_000, 'end_lost'));
    expect(await classOf(stored, 1)).toBe('abandoned');
    expect(await derivedOf(stored, 1)).toBeNull();
    expect(await derivedOf(stored, 2)).not.toBeNull();
    expect(first.said('run.end_lost')).toMatchObject([{ code: 'corrected' }]);
    expect(first.said('transcript.derived')).toEqual([]);
  });

  it('by a stop give up their own run, so that the next attempt is made and no transcript is lost to a restart', async () => {
    const stored = await capturedHere();
    const drained = new AbortController();
    const stopped = correctorOn(ground(), {
      call: (asked) => {
        drained.abort();
        return goodModel().call(asked);
      },
    });
    expect(await stopped.handle(stored, drained.signal)).toEqual({ kind: 'retry', afterMs: 0, cause: 'given_up' });
    expect(await classOf(stored, 1)).toBe('abandoned');
    const next = correctorOn(ground(), goodModel());
    expect(await next.handle(stored)).toEqual(done);
    expect(await derivedOf(stored, 2)).not.toBeNull();
  });

  it('are so many at most: then the transcript stays as it is, and that is an error in the log', async () => {
    const stored = await capturedHere();
    for (const n of [1, 2, 3]) {
      const killed = correctorOn(ground(), goodModel(), { appender: killedAt(placesFor(stored, n).ended) });
      await expect(killed.handle(stored)).rejects.toThrow('killed');
    }
    const last = correctorOn(
      ground(),
      scriptedModel(() => expect.unreachable()),
    );
    expect(await last.handle(stored)).toEqual(done);
    expect(last.said('run.attempts_used_up')).toMatchObject([{ agent: 'transcript-correction@1' }]);
    expect(await Promise.all([1, 2, 3].map((n) => classOf(stored, n)))).toEqual(['abandoned', 'abandoned', 'abandoned']);
  });

  it('too often are set aside: a claim that was left is given up, and nothing begins', async () => {
    const stored = await capturedHere();
    await expect(correctorOn(ground(), goodModel(), { appender: killedAt(placesFor(stored).ended) }).handle(stored)).rejects.toThrow();
    const one = correctorOn(
      ground(),
      scriptedModel(() => expect.unreachable()),
    );
    expect(await one.setAside(stored)).toEqual(done);
    expect(await classOf(stored)).toBe('abandoned');
    expect(await broker.log.get(placesFor(stored, 2).started)).toBeNull();
    expect(one.said('transcript.set_aside')).toHaveLength(1);
  });

  it('of two replicas at once are one work: the loser looks again later', async () => {
    const stored = await capturedHere();
    const model = goodModel();
    const alone = goodModel();
    const other = await capturedHere();
    await correctorOn(ground(), alone).handle(other);
    const both = [correctorOn(ground(), model), correctorOn(ground(), model)];
    const outcomes = await Promise.all(both.map((one) => one.handle(stored)));
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['done', 'retry']);
    expect(model.calls.length).toBe(alone.calls.length);
    expect(await derivedOf(stored)).not.toBeNull();
  });

  it('find a corrected transcript that somebody else wrote: the end stands, and it is said', async () => {
    const stored = await capturedHere();
    const { derived } = placesFor(stored);
    await broker.log.append({ subject: derived, bytes: new TextEncoder().encode('{}') });
    const one = correctorOn(ground(), goodModel());
    expect(await one.handle(stored)).toEqual(done);
    expect(one.said('transcript.derived_taken')).toHaveLength(1);
    expect(await outputOf(stored)).toMatchObject({ report: { applied: 1 } });
  });
});

describe('a text of a transcript', () => {
  it('is in no log line and in no metric, whatever happens to it', async () => {
    const canary = 'CANARYcanary';
    const talk = [spoken(`um the ${canary} fell at six`, canary)];
    const terms = { glossary: [`${canary}G`], protectedTerms: [`${canary}P`] };
    const answers: readonly ((wanted: Wanted) => unknown)[] = [
      () => undefined,
      () => canary,
      () => {
        throw new TypeError(canary);
      },
      (wanted) => (wanted.kind === 'propose' ? { corrections: [{ ...correction(canary, `${canary}X`), reason: canary }] } : withdraw('p1')),
    ];
    for (const answer of answers) {
      const stored = await capturedHere(talk, terms);
      const one = correctorOn(ground(), goodModel(answer));
      expect(await one.handle(stored)).toEqual(done);
      expect(await broker.log.get(placesFor(stored).ended)).not.toBeNull();
      expect(one.lines.length).toBeGreaterThan(1);
      expect(JSON.stringify(one.lines) + (await one.metrics.text())).not.toContain('CANARY');
      const end = await eventAt(broker.log, placesFor(stored).ended);
      if (end?.name === 'runFailed') expect(JSON.stringify(end)).not.toContain('CANARY');
    }
  });

  it('is in its source, in its end and in the corrected transcript, and in no other event of its run', async () => {
    const from = (await broker.log.lastSequence()) + 1;
    const stored = await capturedHere([spoken('um the CANARYcanary fell')]);
    await correctorOn(ground(), goodModel()).handle(stored);
    const holding: string[] = [];
    for await (const { subject, bytes } of broker.log.read({ from, to: await broker.log.lastSequence() }))
      if (new TextDecoder().decode(bytes).includes('CANARY')) holding.push(subject);
    const { ended, derived } = placesFor(stored);
    expect(holding).toEqual([stored.subject, ended, derived]);
  });

  it('is not private because of us: a public source has a public end, and a private one a private', async () => {
    for (const privacy of ['public', 'private'] as const) {
      const stored = await capturedHere(shortTalk, { privacy });
      await correctorOn(ground(), goodModel()).handle(stored);
      expect((await derivedOf(stored))?.privacy).toBe(privacy);
    }
    expect(captureOf(shortTalk).privacy).toBe('public');
    expect(subjects.transcriptCorrected({ producer: 'p', run: 'r' })).toContain('derived.transcript.corrected');
  });
});
