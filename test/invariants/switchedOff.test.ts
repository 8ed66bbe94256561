import { listRows } from '@emend/client';
import { compileContract, judgeCompletion, observation } from '@emend/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reached } from '../journeys/canaryStage.js';
import { coordinator, projector, repairAgent, runner } from './lives.js';
import { allEnded, endsOf, openRings, type Rings } from './rings.js';
import { everyStory } from './stories.js';

const stories = everyStory();
const contract = compileContract(observation);
const off = { EMEND_RUNNER_OUTPUT_REPAIR: 'false', EMEND_RUNNER_RETRIES: '0', EMEND_REPAIR_ENABLED: 'false' };
/** All that there is where nothing repairs. */
const plain = [runner, projector];

let rings: Rings;
let without: Rings;

describe('with every repair switch off', () => {
  beforeAll(async () => {
    rings = await openRings(stories, { settings: off });
    // One provider for both: its address is a part of what a row says of the model.
    without = await openRings(stories, { settings: off, provider: rings.provider });
    await rings.start(...plain, coordinator, repairAgent);
    await without.start(...plain);
    for (const each of [rings, without]) {
      for (const note of stories.keys()) await each.capture(note);
      await allEnded(each, stories);
      await reached('every run has its row', async () => (await rowsOf(each)).length === stories.length);
    }
  });
  afterAll(async () => {
    await without?.close();
    await rings?.close();
  });

  it.each(stories.map((story, note) => ({ ...story, note })))(
    '$name: its end is what the strict judge says of the text, after one call (I5)',
    async ({ note, says }) => {
      const { text, finish = 'stop' } = says.primary === undefined || says.primary === 'held' ? { text: '' } : says.primary;
      const judged = judgeCompletion(contract, { text, finishReason: finish }, { sources: new Map() }, []);
      const [end, ...more] = await endsOf(rings, note);
      expect(more).toEqual([]);
      const expected =
        judged.kind === 'valid'
          ? { name: 'outputProduced', data: { output: judged.output, completion: 'exact' } }
          : { name: 'runFailed', data: { diagnostic: judged.diagnostic } };
      expect(end).toMatchObject(expected);
      expect(end?.data).toMatchObject({ calls: { primary: 1, overseer: 0 } });
      expect(end?.data).not.toHaveProperty('edits');
    },
  );

  it('nobody is asked but for the runs themselves, nothing is traced, and ring 3 has left nothing but its requests (I5)', async () => {
    // Once by each of the two systems.
    const asked = stories.flatMap((_, note) => [`primary ${note}`, `primary ${note}`]);
    expect(rings.provider.calls.map(({ asker, note }) => `${asker} ${note}`).sort()).toEqual(asked);
    expect(await rings.traced()).toEqual([]);
    expect((await rings.events()).filter(({ name }) => name === 'correctionProposed')).toEqual([]);
    const writers = new Set((await rings.events()).map(({ source }) => source));
    expect([...writers].sort()).toEqual(['coordinator', 'notes', 'runner']);
    expect((await rings.all('runStarted')).map(({ data }) => data.role)).toEqual(stories.map(() => 'standard'));
  });

  it('every row is the one of a system that has neither a coordinator nor a repair agent (I5)', async () => {
    expect((await rings.all('repairRequested')).length).toBeGreaterThan(0);
    expect(await without.all('repairRequested')).toEqual([]);
    expect(await rowsOf(rings)).toEqual(await rowsOf(without));
  });
});

/** What consumers read. Where a row stands in the log is not a part of it. */
async function rowsOf({ broker }: Rings): Promise<readonly unknown[]> {
  return (await listRows(await broker.view('effective-output'))).map(({ row }) => row);
}
