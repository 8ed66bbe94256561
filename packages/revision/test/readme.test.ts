import { readFile } from 'node:fs/promises';
import type { RevisionCall } from '@emend/revision';
import { expect, test } from 'vitest';
import { correctPage } from './productPage.js';

test('the example in the README is the one that runs here', async () => {
  const [readme, example] = await Promise.all(
    ['../README.md', './productPage.ts'].map((file) => readFile(new URL(file, import.meta.url), 'utf8')),
  );
  expect(readme).toContain(example);
});

test('the example corrects a page: one edit as proposed, one revised, one taken back, one refused by the page', async () => {
  const calls: RevisionCall[] = [];
  const reply = (asked: RevisionCall): string =>
    asked.messages.at(-1)?.content.includes('edit p2') === true
      ? '{"proposal_ref": "p2", "action": "revise", "correction": {"target": "text", "original": "Made of wool", "replacement": "Made of recycled wool"}}'
      : '{"proposal_ref": "p3", "action": "withdraw"}';
  const result = await correctPage(
    { messages: [{ role: 'user', content: 'Correct this page.' }], reply: '{"edits": [ … ]}' },
    [
      { target: 'text', original: 'familiy', replacement: 'family' },
      { target: 'text', original: 'Made of wool', replacement: 'Made of organic wool' },
      { target: 'text', original: 'dry', replacement: 'waterproof' },
      { target: 'title', original: 'Rain jacket', replacement: 'Jacket' },
    ],
    async (call) => {
      calls.push(call);
      return {
        kind: 'answered',
        text: reply(call),
        usage: { promptTokens: 90, completionTokens: 12 },
        transportRetries: 0,
        structuralRepairs: 0,
      };
    },
  );
  expect(result.page).toEqual({ title: 'Rain jacket', text: 'Keeps the whole family dry. Made of recycled wool.' });
  expect(result.report.map(({ proposal, disposition, attempts }) => [proposal, disposition, attempts])).toEqual([
    ['p2', 'approved_applied', 1],
    ['p3', 'withdrawn', 1],
  ]);
  expect(calls).toHaveLength(2);
});
