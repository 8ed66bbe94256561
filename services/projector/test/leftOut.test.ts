import { type JsonValue, outputDepthMax, type OutputContractDefinition, outputRepairPolicy } from '@emend/contracts';
import { memoryBroker } from '@emend/log/memory';
import { describe, expect, it } from 'vitest';
import { observed, runStory } from '../../../test/support/history.js';
import type { Attempt } from '../../../test/support/randomHistory.js';
import { appendAll, projecting, rebuilding, rowsIn } from './projectorFixture.js';

/** Takes every object: what it nests and how large it is stays the writer's choice. */
const anything: OutputContractDefinition = {
  id: 'example.anything',
  version: 1,
  schema: { type: 'object' },
  promptDescription: 'Anything.',
};

const facts = { reference: 'odd', contract: anything };
const story = runStory(facts);
const ordinary = runStory({ reference: 'ordinary' });

const nested = (levels: number): JsonValue => (levels === 1 ? {} : { in: nested(levels - 1) });

async function project(events: readonly Attempt[]) {
  const broker = memoryBroker();
  const all = [...ordinary.declared, ordinary.started(), ...events, ordinary.produced(observed('as usual'))];
  await appendAll(broker, all);
  const live = await projecting(broker);
  const stored = new Set(all.map(({ subject }) => subject)).size;
  await live.reached(stored);
  await live.stop();
  // What no view can hold is no difference.
  expect(await rebuilding(broker)).toMatchObject({ kind: 'rebuilt', byteEqual: true });
  return { rows: await rowsIn(broker), incidents: broker.stored.map(({ subject }) => subject) };
}

describe('a row that cannot be stored', () => {
  it('is left out by itself where it is larger than its bucket takes, and every other row goes on (F40)', async () => {
    const large = { text: 'x'.repeat(48_000) };
    const policies = [1, 2, 3, 4, 5, 6].map((n) => runStory({ ...facts, policy: { ...outputRepairPolicy, id: `example.policy-${n}` } }));
    const repairs = policies.flatMap((one) => [one.request(), one.claim(), one.proposal(large)]);
    const { rows, incidents } = await project([...story.declared, story.started(), story.failed(), ...repairs]);
    expect(Object.keys(rows['effective-output']).sort()).toEqual([ordinary.run, story.run].sort());
    expect(Object.keys(rows['review-queue'])).toEqual([]);
    expect(incidents).toEqual(['incident.thought.projector.row_too_large']);
  });

  it('does not exist where an output nests as deep as an output may', async () => {
    const deep = nested(outputDepthMax);
    const { rows, incidents } = await project([
      ...story.declared,
      story.started(),
      story.failed(),
      story.request(),
      story.claim(),
      story.proposal(deep),
    ]);
    expect(Object.keys(rows['effective-output']).sort()).toEqual([ordinary.run, story.run].sort());
    expect([Object.keys(rows['review-queue']), incidents]).toEqual([[story.run], []]);
  });
});
