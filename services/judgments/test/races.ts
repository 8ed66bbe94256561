import { activeJudgments } from '@emend/history';
import type { Broker } from '@emend/log';
import { describe, expect, test } from 'vitest';
import { wholeFold } from './wholeFold.js';
import { type RunStory, runStory } from '../../../test/support/history.js';
import { codesOf, pointers, recordOf, retractOf } from './commands.js';
import { asker, eventOf, everything, instanceOn, judgmentsIn } from './serving.js';

const racers = 8;

/** What holds when requests arrive at once, with two instances that share them. Each test has a run of its own. */
export function describeRaces(title: string, connect: () => Promise<Broker>): void {
  let runs = 0;

  async function race() {
    runs += 1;
    const story = runStory({ reference: `race-${runs}` });
    const broker = await connect();
    for (const event of story.repaired()) await broker.log.append(event);
    const instances = [await instanceOn({ broker: await connect() }), await instanceOn({ broker: await connect() })];
    const ask = asker(broker);
    const dossier = async () => wholeFold(await everything(broker), story.run);
    const end = async () => {
      for (const instance of instances) instance.stop();
      await Promise.all(instances.flatMap(({ running }) => running));
    };
    return { story, ask, dossier, end, broker, before: await judgmentsIn(broker), target: pointers(story).proposal };
  }

  const accept = (story: RunStory, supersedes: string | null = null) =>
    recordOf(story, { target: pointers(story).proposal, verdict: 'accept', supersedes });

  describe(title, () => {
    test('eight equal commands at once record one judgment, and all are told of it', async () => {
      const { story, ask, broker, before, end } = await race();
      const click = accept(story);
      const replies = await Promise.all(Array.from({ length: racers }, () => ask('anna', click)));
      expect(new Set(replies.map(eventOf)).size).toBe(1);
      expect(replies.filter(({ kind }) => kind === 'recorded')).toHaveLength(1);
      expect(await judgmentsIn(broker)).toBe(before + 1);
      await end();
    });

    test('eight authorities at once are all recorded, side by side', async () => {
      const { story, ask, dossier, end } = await race();
      const replies = await Promise.all(Array.from({ length: racers }, (_, i) => ask(`authority-${i}`, accept(story))));
      expect(replies.map(({ kind }) => kind)).toEqual(Array.from({ length: racers }, () => 'recorded'));
      const folded = await dossier();
      expect(activeJudgments(folded)).toHaveLength(racers);
      expect(folded.ignored).toEqual([]);
      await end();
    });

    test('eight clicks of one person at once: one is recorded, and seven name it', async () => {
      const { story, ask, broker, before, end } = await race();
      const replies = await Promise.all(Array.from({ length: racers }, () => ask('anna', accept(story))));
      const won = replies.filter(({ kind }) => kind === 'recorded');
      expect(won).toHaveLength(1);
      const lost = replies.filter(({ kind }) => kind !== 'recorded');
      expect(lost).toEqual(lost.map(() => ({ kind: 'refused', reasons: [{ code: 'supersedes_required', names: eventOf(won[0]!) }] })));
      expect(await judgmentsIn(broker)).toBe(before + 1);
      await end();
    });

    test('two windows that supersede one judgment: one wins, and the other is told the state', async () => {
      const { story, ask, dossier, end } = await race();
      const j1 = eventOf(await ask('anna', accept(story)));
      const replies = await Promise.all([ask('anna', accept(story, j1)), ask('anna', accept(story, j1))]);
      const won = replies.find(({ kind }) => kind === 'recorded')!;
      const lost = replies.find(({ kind }) => kind !== 'recorded')!;
      expect(lost).toEqual({ kind: 'refused', reasons: [{ code: 'supersedes_superseded', names: eventOf(won) }] });
      expect(activeJudgments(await dossier()).map(({ eventId }) => eventId)).toEqual([eventOf(won)]);
      await end();
    });

    test('one window retracts while the other supersedes: one wins, and the other is told the state (F27)', async () => {
      const { story, ask, dossier, end, target } = await race();
      const j1 = eventOf(await ask('anna', accept(story)));
      const retraction = retractOf(story, { target, retracts: j1 });
      const [retracted, superseded] = await Promise.all([ask('anna', retraction), ask('anna', accept(story, j1))]);
      const isRetracted = retracted.kind === 'recorded';
      expect(codesOf(isRetracted ? superseded : retracted)).toEqual([isRetracted ? 'supersedes_retracted' : 'retracts_mismatch']);
      expect(activeJudgments(await dossier())).toHaveLength(isRetracted ? 0 : 1);
      await end();
    });
  });
}
