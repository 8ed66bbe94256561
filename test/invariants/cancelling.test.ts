import { afterEach, describe, expect, it } from 'vitest';
import { reached, startRun } from '../journeys/canaryStage.js';
import { coordinator, hastyRunner, repairAgent } from './lives.js';
import type { Asker, Said } from './ringProvider.js';
import { endsOf, openRings, type Rings, type RingsOptions, saidBy } from './rings.js';
import { everyStory } from './stories.js';

const malformedOf = (secret: string): Said => ({ text: `{"title":"${secret}"}` });

let rings: Rings;
afterEach(() => rings?.close());

interface Point {
  readonly at: string;
  readonly says: (secret: string) => Readonly<Partial<Record<Asker, Said>>>;
  readonly options?: RingsOptions;
  /** When it is time to cancel, by what the provider has seen or the runner has said. */
  readonly reached: (lines: readonly string[]) => boolean;
  readonly calls: readonly Asker[];
}

const asked = (asker: Asker) => () => rings.provider.countOf(0, asker) === 1;
const waits = (lines: readonly string[]): boolean => lines.some((line) => line.includes('provider_awaited'));

const points: readonly Point[] = [
  { at: 'during the call of the run', says: () => ({ primary: 'held' }), reached: asked('primary'), calls: ['primary'] },
  {
    at: 'during the call of its overseer, with a malformed answer in hand',
    says: (secret) => ({ primary: malformedOf(secret), overseer: 'held' }),
    reached: asked('overseer'),
    calls: ['primary', 'overseer'],
  },
  {
    at: 'while it waits for a provider',
    says: () => ({}),
    options: { unreachable: ['small'] },
    reached: waits,
    calls: [],
  },
];

describe('a run that is cancelled', () => {
  it.each(points)('$at ends as cancelled, and no request and no later life of a service goes on with it (I7)', async (point) => {
    const [note] = everyStory();
    if (note === undefined) throw new Error('there is a story');
    rings = await openRings([{ ...note, says: point.says(note.secret) }], point.options);
    const runner = await rings.start(hastyRunner);
    const deciding = await rings.start(coordinator);
    await rings.capture(0);
    await reached(point.at, () => Promise.resolve(point.reached(runner.lines)));
    await runner.stop();
    await reached('the run has its end', async () => (await endsOf(rings, 0)).length > 0);
    expect((await endsOf(rings, 0)).map(saidBy)).toEqual(['cancelled']);

    // Another life of the runner finds the end; the coordinator has seen all that stood before what it was asked for last.
    const again = await rings.start(hastyRunner, repairAgent);
    const control = await failedRun();
    await reached('the control is asked for', async () => (await rings.all('repairRequested')).length > 0);
    await Promise.all([deciding.stop(), again.stop()]);
    expect((await rings.all('repairRequested')).map(({ data }) => data.run)).toEqual([control]);
    expect((await endsOf(rings, 0)).map(saidBy)).toEqual(['cancelled']);
    expect(rings.provider.calls.flatMap(({ asker, note: about }) => (about === 0 ? [asker] : []))).toEqual(point.calls);
  });

  it('in ring 3, while it waits for a provider, is settled as cancelled, and nobody repairs the repair (I7)', async () => {
    rings = await openRings([], { unreachable: ['escalation'] });
    const agent = await rings.start(repairAgent);
    const deciding = await rings.start(coordinator);
    const control = await failedRun();
    await reached('it waits for its provider', () => Promise.resolve(waits(agent.lines)));
    await agent.stop();
    const settled = (await rings.all('runFailed')).filter(({ data }) => data.producer === 'repair-agent');
    expect(settled.map(({ data }) => data.diagnostic.class)).toEqual(['cancelled']);
    const second = await failedRun(2);
    await reached('a later run is asked for', async () => (await rings.all('repairRequested')).length > 1);
    await deciding.stop();
    expect((await rings.all('repairRequested')).map(({ data }) => data.run)).toEqual([control, second]);
    expect(rings.provider.calls).toEqual([]);
  });
});

/** The control: a producer's run that fails in a way that the policy repairs. Its id. */
async function failedRun(index = 1): Promise<string> {
  const run = await startRun(rings.producer, index);
  await run.end({ text: 'The gauge stood.', finishReason: 'stop' });
  return run.id;
}
