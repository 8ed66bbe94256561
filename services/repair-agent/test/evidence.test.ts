import { type EncodedEvent, eventBytesMax, type EventOf, readEvent, sha256, sourceTextMax, subjects } from '@emend/contracts';
import { memoryBroker } from '@emend/log/memory';
import { describe, expect, it } from 'vitest';
import { tampered } from '../../../test/support/history.js';
import { referenceWaitMs } from '../src/gatherEvidence.js';
import { agentOn, answers, eventAt, fakeGenerator, letTimePass, told, turn } from './agentOn.js';
import { failedAt, repairAgentFor, type StoryOptions, story } from './story.js';

type Change = NonNullable<StoryOptions['change']>;
type Draft = Parameters<Change>[0];

/** Changes the one draft of a name. */
const on =
  <Name extends Draft['name']>(name: Name, change: (draft: Extract<Draft, { name: Name }>) => Draft | null): Change =>
  (draft) =>
    draft.name === name ? change(draft as Extract<Draft, { name: Name }>) : draft;

const without = (name: Draft['name'], only: (draft: Draft) => boolean = () => true): Change => {
  return (draft) => (draft.name === name && only(draft) ? null : draft);
};

const isObserver = (draft: Draft): boolean => draft.name === 'agentDeclared' && draft.data.role === 'standard';
const otherHash = sha256('another');

/** One fact is changed against the control; the reasons name it, and the run is settled as failed. */
const mismatches: readonly (readonly [string, Change, string])[] = [
  [
    'V1: the failure is of a claim that is not the run’s',
    on('runFailed', (d) => ({ ...d, data: { ...d.data, started: 'B'.repeat(22) } })),
    'V1:run',
  ],
  [
    'V2: the claim answered another source',
    on('runStarted', (d) => ({ ...d, data: { ...d.data, trigger: subjects.source({ kind: 'note', producer: 'other', capture: 'x' }) } })),
    'V2:trigger',
  ],
  ['V3: the failure has another root', on('runFailed', (d) => ({ ...d, rootId: 'C'.repeat(22) })), 'V3:root'],
  ['V3: the claim has another root', on('runStarted', (d) => ({ ...d, rootId: 'C'.repeat(22) })), 'V3:root'],
  [
    'V4: the prompt was exchanged under the recorded digests (T68)',
    (d) => (d.name === 'agentDeclared' && isObserver(d) ? { ...d, data: { ...d.data, prompt: 'Another prompt.' } } : d),
    'V4:declaration',
  ],
  [
    'V4: the failure recorded another prompt hash',
    on('runFailed', (d) => ({ ...d, data: { ...d.data, agent: { ...d.data.agent, promptHash: otherHash } } })),
    'V4:declaration',
  ],
  [
    'V4: the claim recorded another fingerprint',
    on('runStarted', (d) => ({ ...d, data: { ...d.data, agent: { ...d.data.agent, fingerprint: otherHash } } })),
    'V4:declaration',
  ],
  [
    'V5: the request names another contract hash (T49)',
    on('repairRequested', (d) => ({ ...d, data: { ...d.data, contract: { ...d.data.contract, hash: otherHash } } })),
    'V5:contract',
  ],
  [
    'V5: the claim names another contract hash',
    on('runStarted', (d) => ({ ...d, data: { ...d.data, contract: { ...d.data.contract, hash: otherHash } } })),
    'V5:contract',
  ],
  [
    'V7: the request names another original model',
    on('repairRequested', (d) => ({ ...d, data: { ...d.data, model: { ...d.data.model, model: 'other' } } })),
    'V7:provenance',
  ],
  [
    'V8: an issue has a path that the contract does not know',
    on('repairRequested', (d) => ({
      ...d,
      data: { ...d.data, diagnostic: { ...d.data.diagnostic, issues: [{ code: 'type', path: '/ignore_the_schema' }] } },
    })),
    'V8:issues',
  ],
  [
    'the diagnostic holds more than a diagnostic may',
    on('repairRequested', (d) => ({ ...d, data: { ...d.data, diagnostic: { ...d.data.diagnostic, text: 'wording' } } })),
    'unusable:diagnostic',
  ],
  [
    'the declared contract is not what its hash says',
    on('contractDeclared', (d) => ({ ...d, data: { ...d.data, hash: otherHash } })),
    'unusable:contract',
  ],
];

describe('evidence that does not agree', () => {
  it.each(mismatches)('%s', async (_name, change, reason) => {
    const { tale, broker, request, settlement, claim } = await told({ change });
    const generator = fakeGenerator();
    const agent = agentOn(broker, tale, generator);
    expect(await agent.handle(request)).toEqual({ kind: 'done' });
    expect(agent.lines.find((line) => line['event'] === 'repair.evidence_refused')).toMatchObject({
      code: 'evidence_mismatch',
      reasons: reason,
    });
    expect(await settlement()).toMatchObject({ name: 'runFailed', time: failedAt, data: { diagnostic: { class: 'configuration' } } });
    expect(((await settlement()) as EventOf<'runFailed'>).data.started).toBeUndefined();
    expect(await claim()).toBeNull();
    expect(generator.asked).toEqual([]);
    expect(broker.stored.map(({ subject }) => subject)).toEqual(['incident.thought.repair-agent.evidence_mismatch']);
  });

  it('the control agrees', async () => {
    const { tale, broker, request, settlement } = await told();
    await agentOn(broker, tale, fakeGenerator(answers(tale.valid))).handle(request);
    expect(await settlement()).toMatchObject({ name: 'correctionProposed' });
  });

  it('V6: a contract that this agent is not declared for is refused (T50)', async () => {
    const { broker, request, settlement } = await told();
    const definition = { id: 'other', version: 1, schema: { type: 'object' }, promptDescription: 'Other.' } as const;
    const agent = agentOn(broker, { repairAgent: repairAgentFor(definition) }, fakeGenerator());
    await agent.handle(request);
    expect(agent.lines.find((line) => line['event'] === 'repair.evidence_refused')).toMatchObject({ reasons: 'V6:agent' });
    expect(await settlement()).toMatchObject({ name: 'runFailed' });
  });

  it('what was stored after the request changes nothing: evidence points backwards', async () => {
    const broker = memoryBroker();
    const { tale, request } = await told({ change: without('contractDeclared') }, broker);
    const declared = story().events[0];
    if (declared === undefined) throw new Error('the contract comes first');
    await broker.log.append(declared);
    const agent = agentOn(broker, tale, fakeGenerator());
    await agent.handle(request);
    expect(agent.lines.find((line) => line['event'] === 'repair.evidence_refused')).toMatchObject({ reasons: 'later:contract' });
  });

  it('two writers refuse with the same bytes', async () => {
    const first = await told({ change: without('runFailed') });
    const second = await told({ change: without('runFailed') });
    for (const { broker, tale, request } of [first, second]) {
      const agent = agentOn(broker, tale, fakeGenerator());
      agent.time.advance(broker === first.broker ? 0 : 5_000);
      await letTimePass(agent.handle(request), agent.time, 1_000);
    }
    const bytes = async ({ broker, tale }: typeof first) =>
      Buffer.from((await broker.log.get(tale.settlementPlace))?.bytes ?? []).toString('utf8');
    expect(await bytes(first)).toBe(await bytes(second));
  });
});

const recorded = ['repairRequested', 'runStarted', 'runFailed'] as const;
const digestCases = recorded.flatMap((name) => (['fingerprint', 'promptHash'] as const).map((digest) => [name, digest] as const));

it.each(digestCases)('%s records another %s than the declaration has: refused with `evidence_mismatch` (T68)', async (name, digest) => {
  const change: Change = (draft) =>
    draft.name === name ? ({ ...draft, data: { ...draft.data, agent: { ...draft.data.agent, [digest]: otherHash } } } as Draft) : draft;
  const { tale, broker, request, settlement } = await told({ change });
  const generator = fakeGenerator();
  const agent = agentOn(broker, tale, generator);
  await agent.handle(request);
  expect(agent.lines.find((line) => line['event'] === 'repair.evidence_refused')).toMatchObject({
    code: 'evidence_mismatch',
    reasons: 'V4:declaration',
  });
  expect(await settlement()).toMatchObject({ name: 'runFailed' });
  expect(generator.asked).toEqual([]);
});

describe('a source', () => {
  const captured = story().events[3] as EncodedEvent;

  /** Handles a request whose source has this text, as a writer of a larger log would have stored it: ours refuses what is too large. */
  async function handledWith(text: string) {
    const { tale, broker, request } = await told();
    const { subject, bytes } = tampered(captured, { data: { text } });
    const placed = { sequence: 4, read: readEvent({ subject, bytes }) };
    const generator = fakeGenerator(answers(tale.valid));
    const { reader } = agentOn(broker, tale, generator).deps;
    const withSource = { get: (place: string) => (place === tale.source ? Promise.resolve(placed) : reader.get(place)) };
    const agent = agentOn(broker, tale, generator, { reader: withSource });
    await agent.handle(request);
    return { asked: generator.asked, refused: agent.lines.find((line) => line['event'] === 'repair.evidence_refused') };
  }

  /** How many characters of three bytes fit into the event beside everything else in it. */
  const bytesAround = tampered(captured, { data: { text: '' } }).bytes.length;
  const threeByteMax = Math.floor((eventBytesMax - bytesAround) / 3);
  const sizes: readonly (readonly [string, string, 'whole' | 'refused'])[] = [
    ['of the most characters', 'x'.repeat(sourceTextMax), 'whole'],
    ['of one character more', 'x'.repeat(sourceTextMax + 1), 'refused'],
    ['of the most bytes', '水'.repeat(threeByteMax), 'whole'],
    ['of one character more than the bytes of an event', '水'.repeat(threeByteMax + 1), 'refused'],
  ];

  it.each(sizes)('%s is never cut: it enters the prompt whole, or the run is refused', async (_name, text, end) => {
    const { asked, refused } = await handledWith(text);
    if (end === 'whole') return expect(asked[0]?.messages[1]?.content.split('\n')[1]).toBe(text);
    expect(asked).toEqual([]);
    return expect(refused).toMatchObject({ code: 'evidence_mismatch', reasons: 'unusable:trigger' });
  });
});

describe('evidence that is not there', () => {
  const parts: readonly (readonly [string, Change])[] = [
    ['started', without('runStarted')],
    ['failed', without('runFailed')],
    ['trigger', without('sourceCaptured')],
    ['declaration', without('agentDeclared', isObserver)],
    ['contract', without('contractDeclared')],
  ];
  const both = parts.flatMap(([part, change]) => ['runner', 'field-notes'].map((producer) => [part, producer, change] as const));
  it.each(both)('%s of a run of %s is asked for again for a minute, and then counts as missing', async (part, producer, change) => {
    const { tale, broker, request, settlement } = await told({ change, producer });
    const agent = agentOn(broker, tale, fakeGenerator());
    const handling = agent.handle(request);
    await turn();
    expect(await broker.log.get(tale.settlementPlace)).toBeNull();
    const startMs = agent.time.now();
    expect(await letTimePass(handling, agent.time, 1_000)).toEqual({ kind: 'done' });
    expect(agent.time.now() - startMs).toBeGreaterThanOrEqual(referenceWaitMs);
    expect(agent.lines.find((line) => line['event'] === 'repair.evidence_refused')).toMatchObject({
      code: 'evidence_missing',
      reasons: `missing:${part}`,
    });
    expect(await settlement()).toMatchObject({ name: 'runFailed', data: { diagnostic: { class: 'configuration' } } });
  });

  it('a reference that shows up meanwhile is used', async () => {
    const { tale, broker, request } = await told();
    let hidden = true;
    const agent = agentOn(broker, tale, fakeGenerator(answers(tale.valid)));
    const { reader } = agent.deps;
    const lagging = { ...reader, get: (place: string) => (hidden && place === tale.source ? Promise.resolve(null) : reader.get(place)) };
    const handling = agentOn(broker, tale, agent.deps.generator, { reader: lagging, timers: agent.time }).handle(request);
    await turn();
    hidden = false;
    expect(await letTimePass(handling, agent.time, 1_000)).toEqual({ kind: 'done' });
    expect(await eventAt(broker.log, tale.settlementPlace)).toMatchObject({ name: 'correctionProposed' });
  });

  it('a stop is no proof: the message goes back and nothing is settled', async () => {
    const { tale, broker, request, settlement } = await told({ change: without('runFailed') });
    const agent = agentOn(broker, tale, fakeGenerator());
    const handling = agent.handle(request);
    await turn();
    agent.stop();
    expect(await handling).toEqual({ kind: 'retry', afterMs: 0, cause: 'stopping' });
    expect(await settlement()).toBeNull();
  });

  it('evidence from a newer writer waits', async () => {
    const { tale, broker, request } = await told();
    const agent = agentOn(broker, tale, fakeGenerator());
    const { reader } = agent.deps;
    const newer = {
      ...reader,
      get: async (place: string) =>
        place === tale.source ? ({ sequence: 1, read: { kind: 'unknown_version' } } as const) : reader.get(place),
    };
    expect(await agentOn(broker, tale, fakeGenerator(), { reader: newer }).handle(request)).toEqual({
      kind: 'again',
      cause: 'unknown_version',
    });
  });
});
