import { canonicalBytes } from '@emend/contracts';
import { memoryBroker } from '@emend/log/memory';
import { expect, it } from 'vitest';
import { runStory } from '../../../test/support/history.js';
import { Authority, followFacts, getRow, listRows, readHistory, watchRows } from '../src/index.js';

const run = runStory();
const value = (id: string) => canonicalBytes({ generation: 1, position: 7, row: { run: id, status: 'original' } });

it('the history of a run is its own events, in log order', async () => {
  const { log } = memoryBroker();
  const other = runStory({ reference: 'run-2' });
  const events = [...run.repaired(), run.chain('ann', run.proposed).accept(), other.source(), other.started()];
  for (const event of events) await log.append(event);
  const history = await readHistory(log, run.run);
  expect(history.map(({ read }) => (read.kind === 'event' ? read.event.name : read.kind))).toEqual([
    'runStarted',
    'runFailed',
    'repairRequested',
    'runStarted',
    'correctionProposed',
    'judgmentRecorded',
  ]);
});

it('facts are followed as they are stored, under the subject that they were stored on', async () => {
  const broker = memoryBroker();
  const aborter = new AbortController();
  const followed = followFacts(broker, 'agent.run.>', aborter.signal);
  const first = followed.next();
  await broker.log.append(run.source());
  await broker.log.append(run.started());
  const { value: fact } = await first;
  expect(fact).toMatchObject({ subject: run.started().subject, read: { kind: 'event' } });
  aborter.abort();
});

it('a view gives the rows of runs, and leaves its own keys and what is no row aside', async () => {
  const broker = memoryBroker();
  const view = await broker.view('effective-output');
  await view.put(run.run, value(run.run), 0);
  await view.put('_meta', canonicalBytes({ generation: 1 }), 0);
  await view.put('x'.repeat(22), new TextEncoder().encode('not json'), 0);
  expect(await getRow(view, run.run)).toEqual({ generation: 1, position: 7, row: { run: run.run, status: 'original' } });
  expect(await getRow(view, 'y'.repeat(22))).toBeNull();
  expect((await listRows(view)).map(({ row }) => row.run)).toEqual([run.run]);
});

it('a watch gives what is there, says so, and goes on with changes', async () => {
  const broker = memoryBroker();
  const view = await broker.view('effective-output');
  await view.put(run.run, value(run.run), 0);
  const aborter = new AbortController();
  const watched = watchRows(view, aborter.signal);
  expect((await watched.next()).value).toMatchObject({ row: { run: run.run } });
  expect((await watched.next()).value).toBe('current');
  const next = watched.next();
  await view.put('z'.repeat(22), value('z'.repeat(22)), 0);
  expect((await next).value).toMatchObject({ row: { run: 'z'.repeat(22) } });
  aborter.abort();
});

it('an authority speaks on its own subject, and a reply that is none is refused', async () => {
  const broker = memoryBroker();
  const asked: string[] = [];
  await broker.serve('svc.thought.judgments.record.*', {
    queue: 'judgments',
    handle: async (request) => {
      asked.push(request.subject);
      return new TextEncoder().encode('{"kind":"who knows"}');
    },
  });
  const command = { action: 'a', run: run.run, producer: 'notes', target: run.output, verdict: 'accept' } as const;
  await expect(new Authority(broker, 'ann').record(command)).rejects.toMatchObject({ code: 'reply_invalid' });
  expect(asked).toEqual(['svc.thought.judgments.record.ann']);
  await expect(new Authority(broker, 'ann').record({ ...command, run: 'short' })).rejects.toMatchObject({ code: 'command_invalid' });
});
