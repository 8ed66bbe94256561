import { readFileSync } from 'node:fs';
import { canonicalHash, eventIdOf, subjects } from '@emend/contracts';
import { describe, expect, it } from 'vitest';
import { renderRunnerPrompt } from '../src/domain/runnerPrompt.js';

const sample = (name: string): string => readFileSync(new URL(`../../../samples/${name}`, import.meta.url), 'utf8');
const lines = <T>(name: string): T[] =>
  sample(name)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as T);

const answers = lines<{ readonly id: string; readonly note: string; readonly prompt: string; readonly promptHash: string }>(
  'answers.jsonl',
);
const notes = new Map(lines<{ readonly id: string; readonly text: string }>('notes.jsonl').map(({ id, text }) => [id, text]));
const { promptDescription } = JSON.parse(sample('contract.json')) as { readonly promptDescription: string };
const prompts = new Map([...new Set(answers.map(({ prompt }) => prompt))].map((prompt) => [prompt, sample(`prompts/${prompt}`)]));

describe('the prompt of a run', () => {
  it('is the one that each recorded answer answered, byte for byte', () => {
    const rendered = answers.map(({ id, note, prompt }) => {
      const source = {
        eventId: eventIdOf(subjects.source({ kind: 'note', producer: 'field-notes', capture: note })),
        text: notes.get(note) ?? '',
      };
      return [id, canonicalHash(renderRunnerPrompt({ prompt: prompts.get(prompt) ?? '', contractPrompt: promptDescription, source }))];
    });
    expect(rendered).toHaveLength(167);
    expect(rendered).toEqual(answers.map(({ id, promptHash }) => [id, promptHash]));
  });

  it('of a retry says what the answer before was refused for, and no word of it', () => {
    const facts = { prompt: 'p', contractPrompt: 'c', source: { eventId: 'e', text: 'A note.' } };
    const issues = [{ code: 'required', path: '/title' } as const, { code: 'not_json', path: '' } as const];
    const refused = { class: 'semantic_validation', ruleId: 'evidence-quote-verbatim', issues, issueCount: 5 } as const;
    const [system, asked] = renderRunnerPrompt({ ...facts, refused });
    expect(system).toEqual(renderRunnerPrompt(facts)[0]);
    expect(asked?.content).toBe(
      [
        'Source e:',
        'A note.',
        '',
        'An earlier answer to this source was refused (semantic_validation):',
        '- rule evidence-quote-verbatim',
        '- required at /title',
        '- not_json at (whole answer)',
        '- and 3 more',
        'Answer again, whole.',
      ].join('\n'),
    );
  });

  it('never cuts a source', () => {
    const text = 'x'.repeat(32_000);
    const [, asked] = renderRunnerPrompt({ prompt: 'p', contractPrompt: 'c', source: { eventId: 'e', text } });
    expect(asked?.content).toBe(`Source e:\n${text}`);
  });
});
