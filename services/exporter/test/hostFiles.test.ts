import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readDeclassification, readDestination } from '../src/adapters/hostFiles.js';
import { freshFolder } from './exports.js';

function written(content: unknown): string {
  const folder = freshFolder();
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'file.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const event = 'a'.repeat(22);
const declassification = { format: 'emend.declassification@1', events: [event] };
const destination = {
  format: 'emend.destination@1',
  directory: '/srv/training',
  upTo: 'sensitive',
  contracts: ['stream.thought.output.observation@1'],
};

it('without a file nothing is allowed', async () => {
  expect(await readDeclassification(undefined)).toBeNull();
  expect(await readDestination(undefined, '/srv/training')).toBeNull();
});

it('a declassification names events, one by one', async () =>
  expect(await readDeclassification(written(declassification))).toEqual({ events: new Set([event]) }));

it('a destination counts for the folder that it names and for no other', async () => {
  const file = written(destination);
  expect(await readDestination(file, '/srv/training/')).toEqual({ upTo: 'sensitive', contracts: destination.contracts });
  expect(await readDestination(file, '/srv/training/sub')).toBeNull();
});

it.each([
  ['another format', { ...declassification, format: 'emend.declassification@2' }],
  ['a member more', { ...declassification, all: true }],
  ['a wildcard', { ...declassification, events: ['*'] }],
  ['no JSON', 'events: all'],
])('a declassification with %s is refused whole', async (_what, content) =>
  expect(readDeclassification(written(content))).rejects.toMatchObject({ code: 'declassification_file_invalid' }),
);

it.each([
  ['a member more', { ...destination, any: true }],
  ['no contract', { ...destination, contracts: [] }],
  ['a wildcard contract', { ...destination, contracts: ['*'] }],
  ['a privacy that needs no file', { ...destination, upTo: 'public' }],
])('a destination with %s is refused whole', async (_what, content) =>
  expect(readDestination(written(content), '/srv/training')).rejects.toMatchObject({ code: 'destination_file_invalid' }),
);

it('a file that is not there is refused, not taken for none', async () => {
  await expect(readDeclassification('/nowhere/at/all.json')).rejects.toMatchObject({ code: 'declassification_file_unreadable' });
  await expect(readDestination('/nowhere/at/all.json', '/srv')).rejects.toMatchObject({ code: 'destination_file_unreadable' });
});
