import { Authority, listRows } from '@emend/client';
import { eventIdOf, outputRepairPolicy, policyIdentityOf, policyTokenOf, subjects } from '@emend/contracts';
import { connect } from '@emend/log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesUnder, listen, reached } from '../journeys/canaryStage.js';
import type { LivingServices } from '../journeys/livingServices.js';
import { coordinator, exporter, judgments, projector, repairAgent, runner } from './lives.js';
import { allEnded, endsOf, openRings, type Rings, saidBy, storedIn } from './rings.js';
import { everyStory, type Story } from './stories.js';

const stories = everyStory();
const secrets = stories.map(({ secret }) => secret);
/** What the engine asks again where an output is refused, beside its first call. Each has an overseer of its own. */
const retries = 0;
const policy = policyTokenOf(policyIdentityOf(outputRepairPolicy));
const noteOf = (is: (story: Story) => boolean): number => stories.findIndex(is);

let rings: Rings;
let services: LivingServices;
let heard: ReturnType<typeof listen>;
/** The log in the middle of it: once every note had its end. */
let midway: readonly { readonly subject: string; readonly bytes: Uint8Array }[];
let reply: unknown;

describe('every way through rings 1 and 3, by two runners and two repair agents on one log', () => {
  beforeAll(async () => {
    rings = await openRings(stories, { settings: { EMEND_RUNNER_RETRIES: String(retries) } });
    heard = listen(rings.broker);
    services = await rings.start(runner, runner, repairAgent, repairAgent, coordinator, projector, exporter, judgments);
    for (const note of stories.keys()) await rings.capture(note);
    await allEnded(rings, stories);
    midway = await storedIn(rings.broker);
    const asked = stories.filter(({ settles }) => settles !== null).length;
    await reached('every request is settled', async () => {
      const failures = (await rings.all('runFailed')).filter(({ data }) => data.producer === 'repair-agent');
      return failures.length + (await rings.all('correctionProposed')).length === asked;
    });
    reply = await accept(await runOf(noteOf(({ settles }) => settles === 'proposed')));
    await reached('a training file has a row', async () => filesUnder(rings.folder).includes('"completion"'));
  });
  afterAll(async () => {
    heard?.end();
    await rings?.close();
  });

  it.each(stories.map((story, note) => ({ ...story, note })))('$name: ends as $ends', async ({ note, ends, settles }) => {
    expect((await endsOf(rings, note)).map(saidBy)).toEqual([ends]);
    const run = await runOf(note);
    const settlement = await rings.broker.log.get(subjects.correction({ run, policy }));
    expect(settlement === null).toBe(settles === null);
  });

  it('a secret in what the model, its overseer or the repair wrote is in no event, trace, incident, line, metric, row, reply or file (I1)', async () => {
    const told = await services.told();
    const views = await Promise.all(['effective-output', 'review-queue'].map(async (name) => listRows(await rings.broker.view(name))));
    const incidents = await connect({ servers: rings.url, name: 'incidents', stream: 'INCIDENTS' });
    const sinks: Readonly<Record<string, string>> = {
      events: asText(await storedIn(rings.broker)),
      'the run trace': asText(await rings.traced()),
      incidents: asText(await storedIn(incidents)),
      views: JSON.stringify(views),
      'facts, incidents and traces as they were published': heard.text(),
      'metrics and health': told,
      replies: JSON.stringify(reply),
      'requests of ring 3 to its model': rings.provider.calls.flatMap(({ asker, body }) => (asker === 'repair' ? [body] : [])).join('\n'),
      'log lines': services.lines.join(''),
      'ledgers and exports': filesUnder(rings.folder),
    };
    await incidents.close();
    const all = Object.entries(sinks);
    const quiet = all.filter(([sink, text]) => sink !== 'incidents' && text.length < 50).map(([sink]) => sink);
    expect(quiet).toEqual([]);
    expect(all.filter(([, text]) => secrets.some((secret) => text.includes(secret))).map(([sink]) => sink)).toEqual([]);
    // The control: the secrets did arrive, and they are where they may be.
    const quarantine = await rings.broker.view('quarantine');
    for (const [note, { ends, secret }] of stories.entries()) {
      const kept = await quarantine.get(await runOf(note));
      const said = rings.provider.calls.find((call) => call.note === note && call.asker === 'overseer')?.body ?? secret;
      expect(said).toContain(secret);
      if (!['exact', 'repaired', 'overseen'].includes(ends)) expect(new TextDecoder().decode(kept?.bytes)).toContain(secret);
    }
  });

  it('what stood in the log before ring 3 and the judgment stands there unchanged, byte for byte', async () => {
    const now = await storedIn(rings.broker);
    expect(now.length).toBeGreaterThan(midway.length);
    expect(asText(now.slice(0, midway.length))).toBe(asText(midway));
    expect(new Set(now.map(({ subject }) => subject)).size).toBe(now.length);
  });

  it('calls are one for each run, at most one of its overseer, and at most one of ring 3 for a request (I4)', async () => {
    const { provider } = rings;
    const counted = stories.map(({ name }, note) => ({
      name,
      primary: provider.countOf(note, 'primary'),
      overseer: provider.countOf(note, 'overseer'),
      repair: provider.countOf(note, 'repair'),
    }));
    expect(counted).toEqual(stories.map(callsExpected));
    expect(provider.calls).toHaveLength(counted.reduce((sum, { primary, overseer, repair }) => sum + primary + overseer + repair, 0));
    // What the log says of them is what reached the provider.
    for (const note of stories.keys()) {
      const said = (await endsOf(rings, note)).map(({ data }) => data.calls);
      expect(said).toEqual([{ primary: provider.countOf(note, 'primary'), overseer: provider.countOf(note, 'overseer') }]);
    }
    const requests = await rings.all('repairRequested');
    expect(provider.calls.filter(({ asker }) => asker === 'repair')).toHaveLength(requests.length);
  });
});

/** Only an output that ring 3 may repair too is asked for again. */
function callsExpected({ name, calls, settles }: Story) {
  const invocations = settles === null ? 1 : 1 + retries;
  return { name, primary: calls.primary * invocations, overseer: calls.overseer * invocations, repair: calls.repair };
}

async function runOf(note: number): Promise<string> {
  const [end] = await endsOf(rings, note);
  if (end === undefined) throw new Error(`note ${note} has no end`);
  return end.data.run;
}

const asText = (stored: readonly { readonly subject: string; readonly bytes: Uint8Array }[]): string =>
  stored.map(({ subject, bytes }) => `${subject} ${new TextDecoder().decode(bytes)}`).join('\n');

function accept(run: string): Promise<unknown> {
  return new Authority(rings.broker, 'anna').record({
    run,
    producer: 'runner',
    target: { kind: 'proposal', id: eventIdOf(subjects.correction({ run, policy })), policy },
    privacy: 'public',
    sourceClass: 'public-source',
    quality: true,
    externalExport: true,
    action: 'a1',
    verdict: 'accept',
  });
}
