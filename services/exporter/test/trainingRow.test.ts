import { type EncodedEvent, type JsonValue, observation } from '@emend/contracts';
import { expect, it } from 'vitest';
import { observed, provenance, type RunStory, runStory } from '../../../test/support/history.js';
import { exportRun } from '../src/domain/exportRun.js';
import type { TrainingFile } from '../src/domain/trainingRow.js';
import { foldedEvents, policyOf } from './folded.js';

type Row = Readonly<Record<string, unknown>>;

function rowOf(file: TrainingFile, run: RunStory, ...events: readonly Pick<EncodedEvent, 'subject' | 'bytes'>[]): Row {
  const folded = foldedEvents(...events);
  const line = exportRun(folded.dossier(run.run) as never, policyOf(folded)).rows[file]?.line;
  return JSON.parse(line ?? 'null') as Row;
}

const run = runStory();
const corrected = (output: JsonValue, story = run) => [
  ...story.repaired(output),
  story.chain('anna', story.proposed).correct(observed('better')),
];

it('a pair is the whole prompt, the chosen and the rejected side, and flat columns of text', () =>
  expect(rowOf('pairs.jsonl', run, ...corrected(observed('proposed')))).toEqual({
    prompt: [
      { role: 'system', content: observation.promptDescription },
      { role: 'user', content: 'Source classification: note, public-source.\nGive the output that the contract describes.' },
    ],
    chosen: [
      {
        role: 'assistant',
        content: '{"confidence":0.5,"evidence":[],"summary":"better, in short.","tags":["test"],"title":"better"}',
      },
    ],
    rejected: [
      {
        role: 'assistant',
        content: '{"confidence":0.5,"evidence":[],"summary":"proposed, in short.","tags":["test"],"title":"proposed"}',
      },
    ],
    emend_contract: 'stream.thought.output.observation@1',
    emend_contract_hash: run.contract.ref.hash,
    emend_trajectory: 'repair.corrected',
    emend_order: 'failed proposed corrected',
    emend_source_kind: 'note',
    emend_source_class: 'public-source',
    emend_original_completion: '',
    emend_original_edits: '',
    emend_original_provider: 'example',
    emend_original_model: 'small-1',
    emend_original_execution_adapter: 'chat',
    emend_original_learned_adapter: '',
    emend_original_catalog: `${'c'.repeat(64)}#1`,
    emend_repair_provider: 'example',
    emend_repair_model: 'large-1',
    emend_repair_execution_adapter: 'chat',
    emend_repair_learned_adapter: '',
    emend_repair_catalog: `${'c'.repeat(64)}#1`,
  }));

it('an accepted proposal is an sft row and no pair: nothing was rejected that we kept', () => {
  const events = [...run.repaired(), run.chain('anna', run.proposed).accept()];
  expect(rowOf('pairs.jsonl', run, ...events)).toBeNull();
  const row = rowOf('sft.jsonl', run, ...events);
  expect(Object.keys(row).filter((name) => !name.startsWith('emend_'))).toEqual(['completion', 'prompt']);
  expect(row['completion']).toEqual([{ role: 'assistant', content: expect.stringContaining('"title":"proposed"') as string }]);
});

it('a correction of a valid original has no repair run, and its columns are there all the same', () => {
  const row = rowOf('pairs.jsonl', run, ...run.answered(), run.chain('anna', run.output).correct(observed('better')));
  expect(row['emend_order']).toBe('produced corrected');
  expect(Object.entries(row).filter(([name]) => name.startsWith('emend_repair_'))).toEqual(
    ['catalog', 'execution_adapter', 'learned_adapter', 'model', 'provider'].map((part) => [`emend_repair_${part}`, '']),
  );
});

it('a public adapter is named', () => {
  const story = runStory({
    repairModel: provenance({ learnedAdapter: { id: 'house-style', privacy: 'public', exportPolicy: 'allowed' } }),
  });
  expect(rowOf('sft.jsonl', story, ...corrected(observed('p'), story))['emend_repair_learned_adapter']).toBe('house-style');
});

it('identifiers of the log that a model copied into its output are replaced on both sides', () => {
  const story = runStory({ capture: 'telegram-4711' });
  const cites = (title: string, ...ids: readonly string[]): JsonValue => ({
    ...(observed(title) as object),
    evidence: ids.map((eventId) => ({ eventId, quote: `as ${eventId} says` })),
  });
  const ids = [story.idOf.source, story.run, story.idOf.settlement, 'telegram-4711'];
  const events = [...story.repaired(cites('proposed', ...ids)), story.chain('anna', story.proposed).correct(cites('better', ...ids))];
  const text = JSON.stringify(rowOf('pairs.jsonl', story, ...events));
  for (const id of ids.slice(0, 3)) expect(text).not.toContain(id);
  expect(text).toContain('as source says');
  expect(text).toContain('\\"eventId\\":\\"source\\"');
  expect(text).not.toContain('\\"eventId\\":\\"telegram-4711\\"');
});

it('a short name is a word: a tag that is called like the producer stays', () => {
  const tagged = { ...(observed('proposed') as object), tags: ['notes'] } as JsonValue;
  expect(JSON.stringify(rowOf('pairs.jsonl', run, ...corrected(tagged)))).toContain('notes');
});

it.each([
  ['exact', undefined, ''],
  [
    'repaired',
    [
      { code: 'trailing_comma', count: 2 },
      { code: 'fence_removed', count: 1 },
    ],
    'fence_removed:1 trailing_comma:2',
  ],
  ['overseen', undefined, ''],
] as const)('the run’s own output says that it was %s, and what the decoder did', (completion, edits, said) => {
  const produced = run.produced(observed('original'), { data: { completion, ...(edits === undefined ? {} : { edits: [...edits] }) } });
  const events = [...run.declared, run.started(), produced, run.chain('anna', run.output).correct(observed('better'))];
  for (const file of ['pairs.jsonl', 'sft.jsonl'] as const)
    expect(rowOf(file, run, ...events)).toMatchObject({ emend_original_completion: completion, emend_original_edits: said });
});

it('an edit that the decoder does not know is counted and not named', () => {
  const edits = [
    { code: 'telegram-4711', count: 2 },
    { code: 'constructor', count: 3 },
    { code: 'plus_sign', count: 1 },
  ];
  const produced = run.produced(observed('original'), { data: { completion: 'repaired', edits } });
  const events = [...run.declared, run.started(), produced, run.chain('anna', run.output).correct(observed('better'))];
  expect(rowOf('pairs.jsonl', run, ...events)['emend_original_edits']).toBe('other:5 plus_sign:1');
});
