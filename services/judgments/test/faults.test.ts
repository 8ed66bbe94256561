import { judgmentReplySchema, judgmentRequestSubject } from '@emend/contracts';
import type { Appended, Broker } from '@emend/log';
import { memoryBroker } from '@emend/log/memory';
import { describe, expect, test } from 'vitest';
import { garbageOn, observed, runStory, tampered } from '../../../test/support/history.js';
import { triesMax } from '../src/handleCommand.js';
import { bytesOf, codesOf, pointers, recordOf } from './commands.js';
import { asker, eventOf, instanceOn, judgmentsIn, serving } from './serving.js';

const story = runStory();
const at = pointers(story);
const repaired = story.repaired();
const accept = () => recordOf(story, { target: at.proposal, verdict: 'accept' });

describe('a reference that is not found', () => {
  test('is asked for again, and found when it arrives', async () => {
    const broker = memoryBroker();
    for (const event of repaired.slice(0, -1)) await broker.log.append(event);
    const { waits } = await instanceOn({ broker: broker.connect(), onWait: () => broker.log.append(repaired.at(-1)!) });
    expect(await asker(broker)('anna', accept())).toMatchObject({ kind: 'recorded' });
    expect(waits).toHaveLength(1);
  });

  test('counts as missing after two seconds of waits', async () => {
    const { ask, waits } = await serving([]);
    expect(codesOf(await ask('anna', accept()))).toEqual(['run_unknown']);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(2_000);
  });

  test('may be the judgment to supersede, seen late', async () => {
    const j1 = story.chain('anna', story.proposed).accept();
    const broker = memoryBroker();
    for (const event of repaired) await broker.log.append(event);
    await instanceOn({ broker: broker.connect(), onWait: () => broker.log.append(j1) });
    expect(await asker(broker)('anna', { ...accept(), supersedes: j1.id })).toMatchObject({ kind: 'recorded', n: 2 });
  });

  test('is not waited for where everything is there', async () => {
    const { ask, waits } = await serving(repaired);
    await ask('anna', accept());
    expect(waits).toEqual([]);
  });
});

/** A broker whose log answers otherwise in one way. */
const broken = (broker: Broker, change: Partial<Broker['log']>): Broker => ({
  ...broker,
  closed: broker.closed,
  log: { ...broker.log, ...change },
});

async function withLog(change: (broker: Broker) => Partial<Broker['log']>) {
  const broker = memoryBroker();
  for (const event of repaired) await broker.log.append(event);
  const handle = broker.connect();
  const instance = await instanceOn({ broker: broken(handle, change(handle)) });
  return { ...instance, broker, ask: asker(broker) };
}

describe('the log', () => {
  test('that is full makes the service unready, and ready again when it takes something', async () => {
    let full = true;
    const { ask, health } = await withLog(({ log }) => ({
      append: async (event) => (full ? { kind: 'full' } : log.append(event)),
    }));
    const click = accept();
    expect(await ask('anna', click)).toEqual({ kind: 'unavailable', cause: 'log_full' });
    expect(health.report()).toMatchObject({ ready: false, components: { log: { ok: false, reason: 'log_full' } } });
    full = false;
    expect(await ask('anna', click)).toMatchObject({ kind: 'recorded' });
    expect(health.report().ready).toBe(true);
  });

  test('whose answer is lost gives no promise, and the same command again finds the first', async () => {
    let lost = true;
    const { ask, broker } = await withLog(({ log }) => ({
      append: async (event): Promise<Appended> => {
        const appended = await log.append(event);
        return lost ? { kind: 'unknown', cause: 'timeout' } : appended;
      },
    }));
    const click = accept();
    expect(await ask('anna', click)).toEqual({ kind: 'unavailable', cause: 'timeout' });
    lost = false;
    expect(await ask('anna', click)).toMatchObject({ kind: 'already_recorded', n: 1 });
    expect(await judgmentsIn(broker)).toBe(1);
  });

  test('that shows nothing of a judgment still decides by its place: a stale read refuses nobody’s judgment away', async () => {
    const { ask, broker } = await withLog(({ log }) => ({
      read: async function* () {},
      get: async (place) => (place.startsWith('stream.thought.judgment.') ? null : log.get(place)),
    }));
    const j1 = story.chain('anna', story.proposed).accept();
    await broker.log.append(j1);
    const reply = await ask('anna', accept());
    expect(reply).toEqual({ kind: 'refused', reasons: [{ code: 'supersedes_required', names: j1.id }] });
  });

  test('that takes every place away is given up after a bound', async () => {
    let appends = 0;
    const { ask } = await withLog(() => ({
      append: async (event) => {
        appends += 1;
        return { kind: 'conflict', existing: { sequence: 90 + appends, headers: {}, ...garbageOn(event.subject) } };
      },
    }));
    expect(await ask('anna', accept())).toEqual({ kind: 'unavailable', cause: 'contended' });
    expect(appends).toBe(triesMax);
  });

  test('that cannot be asked is named by its code', async () => {
    const { ask, lines } = await withLog(() => ({
      get: () => Promise.reject(Object.assign(new Error('canary-3f'), { code: 'timeout' })),
    }));
    expect(await ask('anna', accept())).toEqual({ kind: 'unavailable', cause: 'timeout' });
    expect(lines.join('')).not.toContain('canary-3f');
  });

  test('that holds an event of a newer writer is not decided on', async () => {
    const newer = tampered(story.proposal(), { envelope: { type: 'stream.thought.derived.output.correction.proposed@2' } });
    const { ask, broker } = await serving([...repaired.slice(0, -1), { ...newer, headers: {} }]);
    expect(await ask('anna', accept())).toEqual({ kind: 'unavailable', cause: 'unknown_version' });
    expect(await broker.log.lastSequence()).toBe(repaired.length);
  });
});

describe('a request', () => {
  const rawAsk = async (broker: Broker, authority: string, bytes: Uint8Array) => {
    const { bytes: answer } = await broker.request(judgmentRequestSubject('record', authority), bytes, 5_000);
    return judgmentReplySchema.parse(JSON.parse(new TextDecoder().decode(answer)));
  };

  test('that is no command is refused by a code alone', async () => {
    const { broker } = await serving(repaired);
    const notOurs = { ...accept(), comment: 'canary-77' };
    expect(await rawAsk(broker, 'anna', bytesOf(notOurs))).toEqual({ kind: 'refused', reasons: [{ code: 'command_invalid' }] });
    expect(await rawAsk(broker, 'anna', new Uint8Array(200_000))).toEqual({ kind: 'refused', reasons: [{ code: 'command_too_large' }] });
  });

  test('cannot say who it is of: the subject does', async () => {
    const { broker, ask } = await serving(repaired);
    expect(codesOf(await rawAsk(broker, 'anna', bytesOf({ ...accept(), authority: 'ben' })))).toEqual(['command_invalid']);
    await ask('anna', accept());
    expect(await ask('ben', accept())).toMatchObject({ kind: 'recorded', n: 1 });
  });

  test('in hand when the service is told to stop is finished and answered', async () => {
    const broker = memoryBroker();
    for (const event of repaired) await broker.log.append(event);
    const handle = broker.connect();
    const [reached, passed] = [openPoint(), openPoint()];
    const instance = await instanceOn({
      slots: 1,
      broker: broken(handle, {
        append: async (event) => {
          reached.pass();
          await passed.here;
          return handle.log.append(event);
        },
      }),
    });
    const [first, waiting] = [asker(broker)('anna', accept()), asker(broker)('ben', accept())];
    await reached.here;
    instance.stop();
    const ended = Promise.all(instance.running);
    passed.pass();
    expect([(await first).kind, (await waiting).kind]).toEqual(['recorded', 'recorded']);
    await ended;
    await expect(asker(broker)('cleo', accept())).rejects.toMatchObject({ code: 'no_responders' });
  });
});

function openPoint() {
  let pass: () => void = () => {};
  const here = new Promise<void>((resolve) => {
    pass = resolve;
  });
  return { here, pass: () => pass() };
}

test('the service ends where its connection has ended for good', async () => {
  const {
    running,
    broker: _broker,
    ...rest
  } = await (async () => {
    const broker = memoryBroker();
    const handle = broker.connect();
    const instance = await instanceOn({ broker: handle });
    await handle.close();
    return instance;
  })();
  expect(await Promise.race(running)).toEqual({ kind: 'stopped', cause: 'connection_closed' });
  rest.stop();
});

describe('canaries', () => {
  const canary = 'canary-9b1d';

  test('of a replacement, an action id and a broken body are in no line, metric or reply', async () => {
    const { ask, broker, lines, metrics } = await serving(repaired);
    const replies = [
      await ask(
        'anna',
        recordOf(story, { target: at.proposal, verdict: 'correct', action: canary, replacementOutput: observed(canary) as never }),
      ),
      await ask('ben', recordOf(story, { target: at.proposal, verdict: 'correct', replacementOutput: { [canary]: canary } })),
      await ask('ben', recordOf(story, { target: at.proposal, verdict: 'correct', replacementOutput: canary, action: canary })),
      await broker.request(judgmentRequestSubject('record', 'anna'), new TextEncoder().encode(`{"${canary}": ${canary}`), 5_000),
    ];
    expect(codesOf(replies[0] as never)).toEqual(['recorded']);
    expect(lines.length).toBe(4);
    const said = [
      ...lines,
      await metrics.text(),
      ...replies.map((reply) => JSON.stringify('bytes' in reply ? new TextDecoder().decode(reply.bytes) : reply)),
    ];
    expect(said.join('\n')).not.toContain(canary);
    expect(lines.join('')).not.toContain('droppedFields');
  });

  test('the metrics count by operation, result and code', async () => {
    const { ask, metrics } = await serving(repaired);
    const j1 = eventOf(await ask('anna', accept()));
    await ask('anna', { ...accept(), supersedes: j1, verdict: 'reject' });
    await ask('anna', accept());
    const text = await metrics.text();
    expect(text).toContain('emend_judgment_commands_total{operation="record",result="recorded",code="none",service="judgments"} 2');
    expect(text).toContain('code="supersedes_required"');
  });
});
