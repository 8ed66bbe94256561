import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogueOf, ModelError, openModel, parseCatalogue, readCatalogue, readModelMapping, type TierWritten } from '../src/index.js';
import { key, request } from './asking.js';
import { closeProviders, completion, provider, says } from './fakeProvider.js';
import { manualTimers } from './manualTimers.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'emend-model-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterAll(closeProviders);

const write = async (name: string, text: string): Promise<string> => {
  const file = path.join(folder, name);
  await writeFile(file, text);
  return file;
};

const tier: TierWritten = { provider: 'local', baseUrl: 'http://127.0.0.1:8000/v1', keyFile: '/keys/local', model: 'small-1' };
const mapping = { escalationModel: 'org/Big-1' };

const yaml = `
generation: 3
tiers:
  escalation:
    provider: tinker
    baseUrl: https://tinker.example/v1
    keyFile: /run/secrets/key
    model: mapped
    structuredOutput: openai_json_schema
    maxTokensField: max_completion_tokens
    requireSameModel: true
  primary:
    provider: local
    baseUrl: http://127.0.0.1:8000/v1
    model: small-1
`;

describe('a catalogue', () => {
  const digest = (change: Partial<TierWritten> = {}) => catalogueOf({ primary: { ...tier, ...change } }).digest;

  it('has defaults, and a digest that a default written out does not change', () => {
    const { tiers, generation } = catalogueOf({ primary: { ...tier, keyFile: undefined } });
    const defaults = { keyFile: null, structuredOutput: 'none', maxTokensField: 'max_tokens', requireSameModel: false } as const;
    expect([tiers['primary'], generation]).toEqual([{ ...tier, ...defaults }, 1]);
    expect(digest({ structuredOutput: 'none', maxTokensField: 'max_tokens', requireSameModel: false })).toBe(digest());
  });

  it.each<[string, Partial<TierWritten>]>([
    ['provider', { provider: 'other' }],
    ['base URL', { baseUrl: 'http://127.0.0.1:8001/v1' }],
    ['key reference', { keyFile: '/keys/other' }],
    ['missing key reference', { keyFile: undefined }],
    ['model', { model: 'small-2' }],
    ['dialect', { structuredOutput: 'json_object' }],
    ['bound of the output', { maxTokensField: 'max_completion_tokens' }],
    ['strictness', { requireSameModel: true }],
  ])('with another %s has another digest', (_name, change) => {
    expect(digest(change)).not.toBe(digest());
  });

  it('has the same digest in another order, and in another generation', () => {
    const other = { ...tier, model: 'small-2' };
    const one = catalogueOf({ a: tier, b: other });
    expect(catalogueOf({ b: other, a: tier }).digest).toBe(one.digest);
    expect(catalogueOf({ a: tier, b: other }, 2)).toEqual({ ...one, generation: 2 });
    expect(catalogueOf({ a: other, b: tier }).digest).not.toBe(one.digest);
  });
});

describe('a catalogue file', () => {
  it('is the catalogue that its members say, with the mapped model for the escalation tier (T59)', () => {
    const catalogue = parseCatalogue(yaml, mapping);
    expect(catalogue).toEqual(
      catalogueOf(
        {
          primary: { provider: 'local', baseUrl: 'http://127.0.0.1:8000/v1', model: 'small-1' },
          escalation: {
            provider: 'tinker',
            baseUrl: 'https://tinker.example/v1',
            keyFile: '/run/secrets/key',
            model: 'org/Big-1',
            structuredOutput: 'openai_json_schema',
            maxTokensField: 'max_completion_tokens',
            requireSameModel: true,
          },
        },
        3,
      ),
    );
    expect(parseCatalogue(yaml, { escalationModel: 'org/Big-2' }).digest).not.toBe(catalogue.digest);
  });

  it('is of the first generation where it says none', () => {
    expect(parseCatalogue(yaml.replace('generation: 3', ''), mapping).generation).toBe(1);
  });

  const cases: readonly (readonly [string, (text: string) => string, string, string])[] = [
    [
      'a key in place of its file',
      (text) => text.replace('keyFile: /run/secrets/key', `apiKey: ${key}`),
      'catalogue_invalid',
      'tiers.escalation.*',
    ],
    ['a member that nobody knows', (text) => `${text}fallback: primary\n`, 'catalogue_invalid', '*'],
    ['a key where a member stands', (text) => `${text}${key}: 1\n`, 'catalogue_invalid', '*'],
    ['a second document', (text) => `${text}---\ntiers: {}\n`, 'catalogue_not_yaml', 'line 16'],
    ['a tier that is a text', () => `tiers:\n  primary: ${key}\n`, 'catalogue_invalid', 'tiers.primary'],
    ['a list', () => `- ${key}\n`, 'catalogue_invalid', 'the file'],
    ['a member that looks like no name', (text) => `${text}"${key} ": 1\n`, 'catalogue_invalid', '*'],
    ['a password in a URL', (text) => text.replace('https://', `https://u:${key}@`), 'catalogue_invalid', 'tiers.escalation.baseUrl'],
    ['a dialect that is none', (text) => text.replace('openai_json_schema', key), 'catalogue_invalid', 'tiers.escalation.structuredOutput'],
    ['a model that is none', (text) => text.replace('small-1', `two ${key}`), 'catalogue_invalid', 'tiers.primary.model'],
    ['an escalation model of its own', (text) => text.replace('mapped', key), 'catalogue_invalid', 'tiers.escalation.model'],
    ['`mapped` for another tier', (text) => text.replace('small-1', 'mapped'), 'catalogue_invalid', 'tiers.primary.model'],
    ['a tier without a model', (text) => text.replace('    model: small-1\n', ''), 'catalogue_invalid', 'tiers.primary.model'],
    ['a generation that is no number', (text) => text.replace('3', key), 'catalogue_invalid', 'generation'],
    ['no tiers', () => 'generation: 1\n', 'catalogue_invalid', 'tiers'],
    ['nothing', () => '', 'catalogue_invalid', 'the file'],
    ['a tier of a strange name', (text) => text.replace('primary:', `"${key} tier":`), 'catalogue_invalid', 'tiers.*'],
    ['no YAML', (text) => text.replace('tiers:', 'tiers: ['), 'catalogue_not_yaml', 'line 5'],
    [
      'a member twice',
      (text) => text.replace('    model: small-1', '    model: small-1\n    model: small-2'),
      'catalogue_not_yaml',
      'line 16',
    ],
    ['an alias', (text) => `${text.replace('tiers:', 'tiers: &all')}again: *all\n`, 'catalogue_not_yaml', 'the file'],
  ];
  it.each(cases)('with %s is refused with its place, and quotes nothing', (_name, change, code, place) => {
    const error = thrown(() => parseCatalogue(change(yaml), mapping));
    expect(error).toMatchObject({ name: 'ModelError', code, place });
    expect(error.expected).not.toBe('');
    expect(inspect(error)).not.toContain(key);
  });

  it.each([
    ['nothing', ''],
    ['a comment', '# nothing yet\n'],
    ['a text', 'catalogue'],
  ])('of %s is told in plain words what a catalogue is', (_name, text) => {
    expect(thrown(() => parseCatalogue(text, mapping)).expected).toBe('a catalogue: `tiers`, and `generation` where it is not 1');
  });

  it('with an escalation tier and without the mapping is refused', () => {
    expect(thrown(() => parseCatalogue(yaml, {}))).toMatchObject({ code: 'catalogue_invalid', place: 'tiers.escalation.model' });
    expect(parseCatalogue(yaml.replace(/ {2}escalation:[\s\S]*(?= {2}primary:)/, ''), {}).tiers).not.toHaveProperty('escalation');
  });

  it('is read from the disk', async () => {
    expect(await readCatalogue(await write('good.yaml', yaml), mapping)).toEqual(parseCatalogue(yaml, mapping));
  });

  it('is read up to its bound', async () => {
    const padded = `${yaml}#${'x'.repeat(256 * 1024 - yaml.length - 1)}`;
    expect(await readCatalogue(await write('full.yaml', padded), mapping)).toEqual(parseCatalogue(yaml, mapping));
  });

  it.each([
    ['is not there', () => Promise.resolve(path.join(folder, 'none'))],
    ['is a folder', () => Promise.resolve(folder)],
    // Read as a file it would be an empty one.
    ['is a device', () => Promise.resolve('/dev/null')],
    ['is larger than a catalogue may be', () => write('large.yaml', `${yaml}#${'x'.repeat(256 * 1024 - yaml.length)}`)],
  ])('that %s is refused', async (_name, file) => {
    await expect(readCatalogue(await file(), mapping)).rejects.toMatchObject({ name: 'ModelError', code: 'catalogue_unreadable' });
  });
});

describe('the model of a tier', () => {
  const timers = manualTimers();

  it('is what its entry says, called with the key of its file', async () => {
    const { url, requests } = await provider(says(200, completion({ content: '{}' })));
    const catalogue = catalogueOf({ primary: { ...tier, baseUrl: url, keyFile: await write('key', `${key}\n`) } }, 7);
    const model = await openModel(catalogue, 'primary', { timers });
    expect(model.identity).toMatchObject({ provider: 'local', model: 'small-1', catalog: { digest: catalogue.digest, generation: 7 } });
    expect(await model.generate(request)).toMatchObject({ kind: 'generated', text: '{}' });
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
    for (const one of [model, catalogue]) expect(inspect(one, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain(key);
  });

  it.each(['escalation', 'toString'])('that the catalogue does not have is refused: %s', async (other) => {
    await expect(openModel(catalogueOf({ primary: tier }), other, { timers })).rejects.toMatchObject({ code: 'tier_missing' });
  });

  it.each(['', `${key}\nof two lines`, `${key}-ü`])('with a key file that holds %j is refused, unquoted', async (text) => {
    const catalogue = catalogueOf({ primary: { ...tier, keyFile: await write('bad', text) } });
    const error = await openModel(catalogue, 'primary', { timers }).catch((refusal: unknown) => refusal);
    expect(error).toMatchObject({ name: 'ModelError', code: 'api_key_unreadable', place: 'tiers.primary.keyFile' });
    expect(inspect(error)).not.toContain(key);
  });

  it('with a key file that is larger than one key and the room around it is refused', async () => {
    const opening = async (room: number) => {
      const keyFile = await write('roomy', key + '\n'.repeat(room - key.length));
      return openModel(catalogueOf({ primary: { ...tier, keyFile } }), 'primary', { timers });
    };
    expect((await opening(8_192)).identity.model).toBe('small-1');
    await expect(opening(8_193)).rejects.toMatchObject({ code: 'api_key_unreadable' });
  });

  it('with a pipe for a key file is refused, and does not wait for a writer', async () => {
    const keyFile = path.join(folder, 'pipe');
    execFileSync('/usr/bin/mkfifo', [keyFile]);
    const opening = openModel(catalogueOf({ primary: { ...tier, keyFile } }), 'primary', { timers });
    await expect(opening).rejects.toMatchObject({ code: 'api_key_unreadable' });
  });

  it('with a key file that is not there is refused', async () => {
    await expect(openModel(catalogueOf({ primary: tier }), 'primary', { timers })).rejects.toMatchObject({ code: 'api_key_unreadable' });
  });
});

describe('the model mapping', () => {
  it.each(['big', 'org/Name-1.5', 'org/Name:peft:4096', 'tinker://run-1/sampler_weights/000', 'org/Name;tinker://run/sampler_weights/1'])(
    '%s is one',
    (text) => {
      expect(readModelMapping(text)).toBe(text);
    },
  );
  it.each(['', ' ', 'two words', 'org/', '/name', 'tinker://run', 'a;b', 'a;tinker://r/sampler_weights/1;c', 'x'.repeat(129), 'a\nb'])(
    '%j is none',
    (text) => {
      expect(readModelMapping(text)).toBeNull();
    },
  );
});

function thrown(run: () => unknown): ModelError {
  try {
    run();
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
