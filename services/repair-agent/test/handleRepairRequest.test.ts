import { canonicalHash, type EventOf, outputBytesMax, placeOf, readEvent, repairRunIdOf, runOfPlace } from '@emend/contracts';
import { emptyDossier, evolveDossier, FactsSoFar, reviewRowOf } from '@emend/history';
import { describe, expect, it } from 'vitest';
import { type FailureCode, failedCodes, notGeneratedCodes } from '../src/domain/failureCodes.js';
import { agentOn, answers, claimedAt, digests, fakeGenerator, letTimePass, textOf, told, turn } from './agentOn.js';
import { failedAt, original, sourceText } from './story.js';

const canary = 'canary-7b1e2f';
const classOf = (code: FailureCode) => ({ ...notGeneratedCodes, ...failedCodes })[code].class;

describe('a request that is answered', () => {
  it('claims, asks once, and proposes one validated output with both provenances apart (T91 to T94)', async () => {
    const { tale, broker, request, settlement, claim } = await told();
    const generator = fakeGenerator(answers(tale.valid));
    const agent = agentOn(broker, tale, generator);
    expect(await agent.handle(request)).toEqual({ kind: 'done' });

    const started = (await claim()) as EventOf<'runStarted'>;
    expect(started).toMatchObject({ source: 'repair-agent', time: claimedAt, causationId: tale.requestId, rootId: expect.any(String) });
    expect(started.data).toMatchObject({
      role: 'repair',
      producer: 'repair-agent',
      reference: tale.requestId,
      run: repairRunIdOf(tale.requestId),
      repair: { request: tale.requestId, run: tale.run, policy: tale.policy },
      manifest: { sources: [tale.source], promptHash: canonicalHash(generator.asked[0]?.messages), sandbox: digests },
      agent: { id: 'output-repair', fingerprint: tale.repairAgent.fingerprint },
    });
    const proposed = (await settlement()) as EventOf<'correctionProposed'>;
    expect(proposed).toMatchObject({ name: 'correctionProposed', time: claimedAt, causationId: started.id, rootId: started.rootId });
    expect(proposed.data).toMatchObject({
      request: tale.requestId,
      started: started.id,
      trigger: tale.source,
      original,
      output: JSON.parse(tale.valid),
    });
    expect(proposed.data.repair).toEqual({ ...generator.identity, learnedAdapter: null });
    expect(generator.asked).toHaveLength(1);
  });

  it('renders the prompt from the original evidence alone (T67 to T83)', async () => {
    const { tale, broker, request } = await told();
    const generator = fakeGenerator(answers(tale.valid));
    await agentOn(broker, tale, generator).handle(request);
    const text = JSON.stringify(generator.asked[0]?.messages);
    expect(text).toContain(sourceText);
    expect(text).toContain('You write observations.');
    expect(text).toContain('required at (whole answer)');
    // What to do about it is the repair agent's own prompt.
    expect(text).toContain(tale.repairAgent.prompt);
  });

  it('leaves a history in which the proposal counts and awaits a judgment (T96)', async () => {
    const { tale, broker, request } = await told();
    await agentOn(broker, tale, fakeGenerator(answers(tale.valid))).handle(request);
    const facts = new FactsSoFar();
    let dossier = emptyDossier(tale.run);
    for await (const stored of broker.log.read({ from: 1, to: await broker.log.lastSequence() })) {
      const read = readEvent(stored);
      if (read.kind === 'unknown_version') throw new Error('of this version');
      if (read.kind === 'event') facts.learn(read.event);
      const place = placeOf(stored.subject);
      if (place && runOfPlace(place) === tale.run)
        dossier = evolveDossier(dossier, { subject: stored.subject, sequence: stored.sequence, read }, facts);
    }
    expect(dossier.ignored).toEqual([]);
    expect(dossier.repairs[tale.policy]?.settlement?.kind).toBe('proposed');
    expect(reviewRowOf(dossier)).toMatchObject({ state: 'awaiting' });
  });

  it.each([
    ['public', null, 'public'],
    ['sensitive', null, 'sensitive'],
    ['public', 'private', 'private'],
    ['sensitive', 'public', 'sensitive'],
    ['public', 'sensitive', 'sensitive'],
  ] as const)(
    'privacy: a %s request and a learned adapter that is %s make a %s proposal (T95)',
    async (requestPrivacy, adapter, privacy) => {
      const learnedAdapter = adapter && { id: 'tuned', privacy: adapter, exportPolicy: 'forbidden' as const };
      const { tale, broker, request, settlement, claim } = await told({ requestPrivacy, agent: { learnedAdapter } });
      await agentOn(broker, tale, fakeGenerator(answers(tale.valid))).handle(request);
      expect((await settlement())?.privacy).toBe(privacy);
      expect((await claim())?.privacy).toBe(privacy);
      expect(((await settlement()) as EventOf<'correctionProposed'>).data.repair.learnedAdapter).toEqual(learnedAdapter);
    },
  );
});

describe('an answer that is no output', () => {
  const cases: readonly (readonly [string, string, string | null, string])[] = [
    ['prose', `${canary} I cannot`, 'stop', 'invalid_json'],
    ['nothing', '', 'stop', 'invalid_json'],
    ['a contract broken with values', `{"title":"${canary}","${canary}":1}`, 'stop', 'contract_violation'],
    ['cut off', `{"title":"${canary}`, 'length', 'truncated'],
    ['refused', canary, 'refusal', 'refused'],
    ['a tool call', canary, 'tool_calls', 'tool_call'],
    ['an unknown stop word', `{"title":"${canary}`, canary, 'truncated'],
    ['too large', `"${canary}${'x'.repeat(70_000)}"`, 'stop', 'too_large'],
  ];
  it.each(cases)('%s ends as one cleaned failure, and its wording is nowhere (T87, I1)', async (_name, text, finishReason, kind) => {
    const { tale, broker, request, settlement } = await told();
    const generator = fakeGenerator(answers(text, finishReason));
    const agent = agentOn(broker, tale, generator);
    expect(await agent.handle(request)).toEqual({ kind: 'done' });
    const failed = (await settlement()) as EventOf<'runFailed'>;
    expect(failed).toMatchObject({
      name: 'runFailed',
      time: claimedAt,
      data: { repair: { request: tale.requestId }, diagnostic: { class: kind } },
    });
    expect(generator.asked).toHaveLength(1);
    const everything = [await textOf(broker.log), JSON.stringify(agent.lines), await agent.metrics.text(), JSON.stringify(broker.stored)];
    for (const sink of everything) expect(sink).not.toContain(canary);
  });

  it('quotes that are not in the source break the semantic rule, which is named', async () => {
    const { tale, broker, request, settlement } = await told();
    await agentOn(broker, tale, fakeGenerator(answers(tale.valid.replaceAll('read 4.12 m', 'read 9.99 m')))).handle(request);
    expect(await settlement()).toMatchObject({ data: { diagnostic: { class: 'semantic_validation', ruleId: 'evidence-quote-verbatim' } } });
  });

  it('the largest output that a contract accepts fits an event with its provenance; one byte more is refused', async () => {
    const definition = { id: 'wide', version: 1, promptDescription: 'Wide.', schema: { type: 'string' } } as const;
    for (const [bytes, name] of [
      [outputBytesMax, 'correctionProposed'],
      [outputBytesMax + 1, 'runFailed'],
    ] as const) {
      const { tale, broker, request, settlement } = await told({ definition });
      await agentOn(broker, tale, fakeGenerator(answers(JSON.stringify('w'.repeat(bytes - 2))))).handle(request);
      expect((await settlement())?.name).toBe(name);
    }
  });

  it.each(['provider_failed', 'deadline_passed', 'transfer_broken', 'answer_unreadable', 'recording_missing'] as const)(
    '%s may have generated: settled with its class, asked once',
    async (code) => {
      const { tale, broker, request, settlement } = await told();
      const generator = fakeGenerator({ kind: 'failed', code });
      await agentOn(broker, tale, generator).handle(request);
      expect(await settlement()).toMatchObject({ name: 'runFailed', data: { diagnostic: { class: classOf(code), issues: [] } } });
      expect(generator.asked).toHaveLength(1);
    },
  );

  it('a generator that throws ends the run as a fault of the process, and its message is not repeated', async () => {
    const { tale, broker, request, settlement } = await told();
    const agent = agentOn(
      broker,
      tale,
      fakeGenerator(() => {
        throw new TypeError(canary);
      }),
    );
    expect(await agent.handle(request)).toEqual({ kind: 'done' });
    expect(await settlement()).toMatchObject({ data: { diagnostic: { class: 'process' } } });
    expect(agent.eventsLogged()).toContain('repair.generator_threw');
    expect(JSON.stringify(agent.lines)).not.toContain(canary);
  });
});

describe('a provider that proves not to have generated', () => {
  const refusing = (code: keyof typeof notGeneratedCodes) => ({ kind: 'not_generated', code }) as const;

  it('is waited for in place, and asked until it generates once', async () => {
    const { tale, broker, request, settlement } = await told();
    const generator = fakeGenerator(refusing('rate_limited'), refusing('connection_failed'), refusing('rate_limited'), answers(tale.valid));
    const agent = agentOn(broker, tale, generator);
    const handling = agent.handle(request);
    await turn();
    expect(agent.ready()).toBe(false);
    expect(await letTimePass(handling, agent.time, 1_000)).toEqual({ kind: 'done' });
    expect(await settlement()).toMatchObject({ name: 'correctionProposed', time: claimedAt });
    expect([generator.asked.length, generator.generations()]).toEqual([4, 1]);
    expect(agent.ready()).toBe(true);
  });

  it.each(Object.keys(notGeneratedCodes) as (keyof typeof notGeneratedCodes)[])(
    '%s becomes the settlement after the longest wait',
    async (code) => {
      const { tale, broker, request, settlement } = await told();
      const generator = fakeGenerator(refusing(code));
      const agent = agentOn(broker, tale, generator);
      expect(await letTimePass(agent.handle(request), agent.time, 60_000)).toEqual({ kind: 'done' });
      expect(await settlement()).toMatchObject({ name: 'runFailed', data: { diagnostic: { class: classOf(code) } } });
      expect(generator.generations()).toBe(0);
      // An hour with pauses that grow to a minute: tens of questions, not thousands.
      expect(generator.asked.length).toBeGreaterThan(50);
      expect(generator.asked.length).toBeLessThan(80);
    },
  );

  it('a stop ends the wait: the request is settled as cancelled', async () => {
    const { tale, broker, request, settlement } = await told();
    const agent = agentOn(broker, tale, fakeGenerator(refusing('connection_failed')));
    const handling = agent.handle(request);
    await turn();
    agent.stop();
    expect(await handling).toEqual({ kind: 'done' });
    expect(await settlement()).toMatchObject({ data: { diagnostic: { class: 'cancelled' } } });
  });
});

describe('what is not a request', () => {
  it('a void one is not generated for: an incident, and skipped', async () => {
    const { tale, broker, request } = await told();
    const agent = agentOn(broker, tale, fakeGenerator());
    const bytes = Buffer.from(Buffer.from(request.bytes).toString('utf8').replace(tale.run, 'A'.repeat(22)));
    expect(await agent.handle({ ...request, bytes })).toEqual({ kind: 'skip', reason: 'request_void' });
    expect(broker.stored.map(({ subject }) => subject)).toEqual(['incident.thought.repair-agent.request_void']);
    expect(await broker.log.get(tale.claimPlace)).toBeNull();
  });

  it('one from a newer writer waits, and is never skipped', async () => {
    const { tale, broker, request } = await told();
    const bytes = Buffer.from(Buffer.from(request.bytes).toString('utf8').replace('repair.requested@1', 'repair.requested@2'));
    expect(await agentOn(broker, tale, fakeGenerator()).handle({ ...request, bytes })).toEqual({ kind: 'again', cause: 'unknown_version' });
  });

  it('a tombstone is skipped', async () => {
    const { tale, broker, request } = await told();
    const body = JSON.parse(Buffer.from(request.bytes).toString('utf8')) as Record<string, unknown>;
    const bytes = Buffer.from(JSON.stringify({ ...body, type: 'stream.thought.erased@1', data: { place: request.subject } }));
    expect(await agentOn(broker, tale, fakeGenerator()).handle({ ...request, bytes })).toEqual({ kind: 'skip', reason: 'erased' });
  });
});

describe('where an agent starts', () => {
  it('a request before the start is left as it is', async () => {
    const { tale, broker, request } = await told();
    const agent = agentOn(broker, tale, fakeGenerator(), { position: { start: request.sequence + 1, abandonBefore: 0 } });
    expect(await agent.handle(request)).toEqual({ kind: 'skip', reason: 'before_start' });
    expect(await broker.log.get(tale.settlementPlace)).toBeNull();
  });

  it('a request at the start is answered', async () => {
    const { tale, broker, request, settlement } = await told();
    await agentOn(broker, tale, fakeGenerator(answers(tale.valid)), { position: { start: request.sequence, abandonBefore: 0 } }).handle(
      request,
    );
    expect(await settlement()).toMatchObject({ name: 'correctionProposed' });
  });

  it('after a restore an unsettled request is settled as abandoned, with the time of the request', async () => {
    const { tale, broker, request, settlement } = await told();
    const agent = agentOn(broker, tale, fakeGenerator(), { position: { start: 0, abandonBefore: request.sequence + 1 } });
    expect(await agent.handle(request)).toEqual({ kind: 'done' });
    expect(await settlement()).toMatchObject({ name: 'runFailed', time: failedAt, data: { diagnostic: { class: 'abandoned' } } });
  });
});

it('every code has one of the closed classes', () => {
  const codes = Object.keys(notGeneratedCodes) as FailureCode[];
  expect(codes.map(classOf)).toEqual(['provider_outage', 'configuration', 'authentication', 'rate_limited', 'configuration', 'sandbox']);
});
