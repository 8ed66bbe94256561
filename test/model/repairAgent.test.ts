import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diagnosticClasses } from '@emend/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from './modelServer.js';
import { type Places, Repairing } from './repairing.js';

/** The structured outputs that this server takes, the strictest last. What only other servers take it passes over in silence. */
const formats = ['none', 'json_object', 'openai_json_schema', 'json_object_schema'] as const;
const strictest = formats[formats.length - 1] ?? 'none';

/** Recorded answers that may be repaired: one is no JSON, one breaks the contract, one a rule. */
const repairable = ['n001.plain.free', 'n007.worked.object', 'n021.worked.contract'];
/** Those of them with long prompts. */
const long = repairable.slice(1);
/** One is valid, one was cut off. */
const leftAlone = ['n002.plain.contract', 'n003.plain.short'];
const one = repairable.slice(0, 1);

/** Eight tokens of an answer whose schema needs more: it is always cut off. */
const brief = { EMEND_REPAIR_AGENT: 'output-repair-short@1', EMEND_REPAIR_STRUCTURED_OUTPUT: strictest };

/** How a request can end whose model was asked and answered. */
const answered = ['proposed', 'invalid_json', 'contract_violation', 'semantic_validation', 'truncated'];

let model: ModelServer;
const cleanUps: (() => Promise<void>)[] = [];

beforeAll(async () => {
  model = await startModelServer();
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});
afterAll(() => model.stop());

async function repairing(settings: Readonly<Record<string, string>>, server: ModelServer = model): Promise<Repairing> {
  const started = await Repairing.start(server, settings);
  cleanUps.push(() => started.stop());
  return started;
}

/** Calls by prompt from here on, as the door in front of the model counts them. */
function callsFromHere({ calls }: ModelServer = model): () => readonly number[] {
  const before = new Map(calls.calls);
  return () => [...calls.calls].map(([prompt, count]) => count - (before.get(prompt) ?? 0)).filter((count) => count > 0);
}

const endsOf = ({ settlements }: Places): readonly string[] => settlements.map(([, end]) => end).sort();

function expectEachSettledOnce({ requests, claims, settlements }: Places, count: number): void {
  expect(requests).toHaveLength(count);
  expect([...claims].sort()).toEqual([...requests].sort());
  expect(settlements.map(([request]) => request).sort()).toEqual([...requests].sort());
}

describe('the repair agent in front of a real small model', () => {
  it.each(formats)(
    'asked for %s settles every request once, with a proposal or a class of the closed list, after one call',
    async (format) => {
      const agent = await repairing({ EMEND_REPAIR_STRUCTURED_OUTPUT: format });
      const calls = callsFromHere();
      const ingested = await agent.ingest([...repairable, ...leftAlone]);
      expect(ingested.failed).toEqual({ contract_violation: 1, invalid_json: 1, semantic_validation: 1, truncated: 1 });
      expect(ingested.valid).toBe(1);

      const places = await agent.settled(repairable.length);
      const ends = endsOf(places);
      console.info(`${format}: ${places.requests.length} requests, ${calls().length} calls: ${ends.join(' ')}`);
      expectEachSettledOnce(places, repairable.length);
      expect(calls()).toEqual(repairable.map(() => 1));
      expect(ends.filter((end) => end !== 'proposed' && !(diagnosticClasses as readonly string[]).includes(end))).toEqual([]);
      expect(ends.filter((end) => !answered.includes(end))).toEqual([]);
      if (!format.includes('schema')) return;
      // What was held to the schema parses; it can be cut off, pass a limit that no grammar counts, or misquote its source.
      expect(ends).not.toContain('invalid_json');
      expect(ends.some((end) => end !== 'truncated')).toBe(true);
    },
  );

  it('calls an answer that the token limit cut off truncated', async () => {
    const agent = await repairing(brief);
    const calls = callsFromHere();
    await agent.ingest(repairable);
    const places = await agent.settled(repairable.length);
    expectEachSettledOnce(places, repairable.length);
    expect(endsOf(places)).toEqual(repairable.map(() => 'truncated'));
    expect(calls()).toEqual(repairable.map(() => 1));
  });

  it('calls a prompt that the server says does not fit too large, and does not ask again', async () => {
    const narrow = await startModelServer({ contextTokens: 256 });
    cleanUps.push(() => narrow.stop());
    const agent = await repairing({}, narrow);
    await agent.ingest(long);
    const places = await agent.settled(long.length);
    expectEachSettledOnce(places, long.length);
    expect(endsOf(places)).toEqual(long.map(() => 'too_large'));
    expect(await agent.codesOf('repair.settled')).toEqual(long.map(() => 'context_exceeded'));
    expect([...narrow.calls.calls.values()]).toEqual(long.map(() => 1));
  });

  it('with a key that the server refuses settles as a matter of authentication, where it may not wait', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'emend-model-'));
    cleanUps.push(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'key'), 'another');
    const agent = await repairing({ EMEND_REPAIR_API_KEY_FILE: join(folder, 'key'), EMEND_REPAIR_WAIT_MAX_MS: '0' });
    await agent.ingest(one);
    const places = await agent.settled(one.length);
    expectEachSettledOnce(places, one.length);
    expect(endsOf(places)).toEqual(['authentication']);
    expect(await agent.codesOf('repair.settled')).toEqual(['authentication_refused']);
  });

  it('holds a request while the server is down, past the ack wait, and generates once it is back', async () => {
    // With a second slot, a message that came again would be taken, found claimed, and settled as abandoned.
    const agent = await repairing({ ...brief, EMEND_REPAIR_SLOTS: '2' });
    const calls = callsFromHere();
    await model.takeDown();
    await agent.ingest(one);
    // The pauses double: by the fourth the request has been in hand for seven seconds, and the ack wait is three.
    const waiting = await agent.until(async () => (await agent.codesOf('repair.provider_awaited')).length >= 4);
    expect(new Set(await agent.codesOf('repair.provider_awaited'))).toEqual(new Set(['connection_failed']));
    expect(waiting.claims).toEqual(waiting.requests);
    expect(waiting.settlements).toEqual([]);
    expect(calls()).toEqual([]);

    await model.bringUp();
    const places = await agent.settled(one.length);
    expectEachSettledOnce(places, one.length);
    expect(endsOf(places)).toEqual(['truncated']);
    expect(calls()).toEqual([1]);
  });
});
