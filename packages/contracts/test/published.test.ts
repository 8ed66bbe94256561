import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { encodeEvent, eventCatalogue, places, subjectPrefix } from '../src/index.js';
import { allDrafts, drafts } from './controls.js';
import { publishedFiles } from './published.js';
import { committed } from './written.js';

const folder = path.join(import.meta.dirname, '../../../docs/contracts');
const files = publishedFiles();

describe('docs/contracts', () => {
  it.each([...files])('%s is what the schemas say', (file, fresh) => {
    expect(committed(path.join(folder, file), fresh)).toBe(fresh);
  });

  it('holds no schema of an event that is no more', () => {
    expect(
      readdirSync(path.join(folder, 'events'))
        .map((name) => `events/${name}`)
        .sort(),
    ).toEqual([...files.keys()].filter((file) => file.startsWith('events/')).sort());
  });

  it('names every place and every event type', () => {
    const asyncapi = files.get('asyncapi.yaml') ?? '';
    for (const { stem } of Object.values(places)) expect(asyncapi).toContain(`${subjectPrefix}${stem.replace('<kind>', '{kind}')}.`);
    for (const { type, version } of Object.values(eventCatalogue)) expect(asyncapi).toContain(`"${type}@${version}"`);
  });
});

describe('the published JSON Schemas', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: true });
  addFormats.default(ajv);
  const validators = new Map(
    [...files].flatMap(([file, text]) => {
      if (!file.endsWith('.json')) return [];
      const schema = JSON.parse(text) as { title: string };
      return [[schema.title, ajv.compile(schema)] as const];
    }),
  );
  const bodyOf = (draft: (typeof allDrafts)[number][1]) =>
    JSON.parse(new TextDecoder().decode(encodeEvent(draft).bytes)) as Record<string, unknown> & { data: Record<string, unknown> };
  const validatorOf = (draft: (typeof allDrafts)[number][1]) => {
    const { type, version } = eventCatalogue[draft.name];
    return validators.get(`${type}@${version}`)!;
  };

  it.each(allDrafts)('accept %s as it is written, and with what a newer writer adds', (_, draft) => {
    const body = bodyOf(draft);
    expect(validatorOf(draft)(body)).toBe(true);
    expect(validatorOf(draft)({ ...body, newattribute: 1, data: { ...body.data, newField: 1 } })).toBe(true);
  });

  it.each(allDrafts)('refuse %s with any required member left out', (_, draft) => {
    const body = bodyOf(draft);
    const schema = JSON.parse(
      files.get([...files.keys()].find((file) => files.get(file)?.includes(`"title": "${eventCatalogue[draft.name].type}@`))!)!,
    ) as {
      required: readonly string[];
      properties: { data: { required: readonly string[] } };
    };
    const { data } = schema.properties;
    const accepted = [
      ...schema.required.map((name) => [name, { ...body, [name]: undefined }] as const),
      ...data.required.map((name) => [`data.${name}`, { ...body, data: { ...body.data, [name]: undefined } }] as const),
    ].flatMap(([name, lacking]) => (validatorOf(draft)(lacking) ? [name] : []));
    expect(accepted).toEqual([]);
  });

  it('accept every word of privacy, as the reader does', () => {
    const body = bodyOf(drafts.sourceCaptured);
    for (const privacy of ['public', 'secret', undefined]) expect(validatorOf(drafts.sourceCaptured)({ ...body, privacy })).toBe(true);
  });
});

describe('packages/contracts/README.md', () => {
  const readme = readFileSync(path.join(import.meta.dirname, '../README.md'), 'utf8');

  it('has the table of places as the code has it', () => {
    const rows = Object.values(places).map(
      ({ stem, key, holds, writer }) =>
        `| \`${stem}\` | ${key.join(', ')} | ${holds.map((name) => `\`${name}\``).join(' or ')} | ${writer} |`,
    );
    expect(readme).toContain(
      ['| stem after `stream.thought.` | key | holds one of, ever | written by |', '| --- | --- | --- | --- |', ...rows].join('\n'),
    );
  });
});
