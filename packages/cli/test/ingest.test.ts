import { Producer } from '@emend/client';
import { LogError } from '@emend/log';
import { memoryBroker, type MemoryBroker } from '@emend/log/memory';
import { beforeEach, describe, expect, it } from 'vitest';
import { agentDeclaration } from '../../../test/support/history.js';
import { compileContract, observation } from '@emend/contracts';
import { ingest, readLine } from '../src/index.js';
import { boundedLines } from '../src/ingest/boundedLines.js';
import { agentOf } from '../src/ingest/line.js';

const agent = agentDeclaration(compileContract(observation));
const good = { id: 'a1', source: { id: 'n1', text: 'A note.' }, model: 'small', output: '{"title":"only"}', finish_reason: 'stop' };
const line = (change: object = {}): string => JSON.stringify({ ...good, ...change });

describe('a line of an ingest file', () => {
  it('with what people already have is read, and a note is the usual kind', () => {
    expect(readLine(line())).toMatchObject({ kind: 'line', line: { id: 'a1', source: { kind: 'note' } } });
  });

  const broken: readonly (readonly [string, string, string, string])[] = [
    ['that is no JSON', '{"id": "a1"', 'not_json', 'one JSON object a line'],
    ['that is a list', '[1]', 'line_invalid', 'the line'],
    ['without an id', line({ id: undefined }), 'line_invalid', 'id'],
    ['without its source', line({ source: undefined }), 'line_invalid', 'source'],
    ['whose source id is no token', line({ source: { id: 'a.b', text: '' } }), 'line_invalid', 'source'],
    ['without the output', line({ output: null }), 'line_invalid', 'output'],
    ['whose agent has no version', line({ agent: 'observer' }), 'line_invalid', 'agent'],
    ['whose agent is no dotted id', line({ agent: 'a..b@1' }), 'line_invalid', 'agent'],
    ['whose time is no time', line({ time: 'yesterday' }), 'line_invalid', 'time'],
    ['whose privacy is no word of ours', line({ privacy: 'secret' }), 'line_invalid', 'privacy'],
    ['that is longer than a line may be', `"${'x'.repeat(400_000)}"`, 'too_long', 'at most 400000 characters'],
  ];
  it.each(broken)('%s is broken: its field is named, its value is not', (_what, text, code, at) => {
    expect(readLine(text)).toEqual({ kind: 'broken', code, at });
  });
});

it('an agent is named as id@version, and any other word is refused before anything is stored', () => {
  expect(agentOf('my.observer@12')).toEqual({ id: 'my.observer', version: 12 });
  expect(() => agentOf('ID@VERSION')).toThrow(/agent_name_invalid/);
});

it('lines are split in bounded memory: one that never ends is cut just past the bound', async () => {
  async function* chunks() {
    yield 'a\r\nb';
    yield 'c\n';
    for (let piece = 0; piece < 50; piece += 1) yield 'x'.repeat(10_000);
    yield '\nlast';
  }
  const lines: string[] = [];
  for await (const text of boundedLines(chunks())) lines.push(text);
  expect(lines.map((text) => text.length)).toEqual([1, 2, 400_001, 4]);
  expect(readLine(lines[2] ?? '')).toMatchObject({ kind: 'broken', code: 'too_long' });
});

describe('an ingest', () => {
  let broker: MemoryBroker;
  let producer: Producer;
  const reported: string[] = [];

  beforeEach(async () => {
    broker = memoryBroker();
    producer = new Producer({ log: broker.log, producer: 'notes', now: () => 0 });
    await producer.declareContract(observation);
    await producer.declareAgent(agent);
    reported.length = 0;
  });

  async function* lines(...texts: readonly string[]) {
    yield* texts;
  }
  const run = (...texts: readonly string[]) =>
    ingest({
      producer,
      lines: lines(...texts),
      agent: `${agent.id}@1`,
      privacy: 'public',
      sourceClass: 'public-source',
      onBroken: ({ number, code, at }) => reported.push(`${number} ${code} ${at}`),
    });

  it('names a broken line with its number, and the others go on', async () => {
    const report = await run(line(), 'not json', '', line({ id: 'a2', agent: 'unknown@1' }), line({ id: 'a3' }));
    expect(report).toEqual({ lines: 4, valid: 0, failed: { contract_violation: 2 }, already: 0, broken: 2 });
    expect(reported.sort()).toEqual(['2 not_json one JSON object a line', '4 reference_missing stream.thought.agent.declared.unknown.1']);
  });

  it('said again stores nothing more', async () => {
    await run(line());
    const before = await broker.log.lastSequence();
    expect(await run(line())).toMatchObject({ lines: 1, already: 1 });
    expect(await broker.log.lastSequence()).toBe(before);
  });

  it('names a line whose source text is another than the one in the log', async () => {
    await run(line());
    expect(await run(line({ id: 'a2', source: { id: 'n1', text: 'Another note.' } }))).toMatchObject({ broken: 1 });
    expect(reported).toEqual(['1 place_taken stream.thought.source.note.captured.notes.n1']);
  });

  it('on a full log stops and says so, rather than blaming the lines', async () => {
    broker.fill();
    await expect(run(line())).rejects.toMatchObject({ code: 'log_full' });
    expect(reported).toEqual([]);
  });

  it('on a closed connection stops', async () => {
    await broker.close();
    const failure = await run(line()).catch((error: unknown) => error);
    expect(failure instanceof LogError || (failure as { code?: string }).code === 'append_unknown').toBe(true);
  });

  it('never repeats what it read', async () => {
    await run(line({ privacy: 'canary7c1f' }), '{"canary7c1f":', line({ id: 'x', source: { id: 'canary.7c1f', text: '' } }));
    expect(reported.join('\n')).not.toContain('canary');
  });
});
