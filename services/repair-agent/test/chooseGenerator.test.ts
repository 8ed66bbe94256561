import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { catalogueOf } from '@emend/model';
import { loadConfig, manualTime } from '@emend/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseGenerator } from '../src/adapters/chooseGenerator.js';
import { repairAgentConfig } from '../src/config.js';
import type { Generation } from '../src/ports.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'emend-choice-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const write = async (name: string, text: string): Promise<string> => {
  const file = path.join(folder, name);
  await writeFile(file, text);
  return file;
};

const settings = {
  endpoint: 'http://127.0.0.1:9/v1',
  provider: 'p',
  structuredOutput: 'none',
  catalogueFile: undefined,
  playerFile: undefined,
  apiKeyFile: undefined,
} as const;

function choose(config: Partial<Parameters<typeof chooseGenerator>[0]['config']> = {}) {
  const refused: object[] = [];
  const events = { recordingAsked: () => {}, modelDiffers: () => {}, modelRefused: (error: object) => void refused.push(error) };
  const choosing = chooseGenerator({ config: { ...settings, ...config }, model: 'm', tier: 'escalation', timers: manualTime(), events });
  return { choosing, refused };
}

const generation: Generation = {
  messages: [{ role: 'user', content: 'Source note-1' }],
  promptHash: 'a'.repeat(64),
  id: 'request-1',
  contract: { name: 'c@1', schema: {} },
  limits: { outputTokensMax: 100, generationMs: 1_000 },
  signal: new AbortController().signal,
};

const yaml = `
generation: 4
tiers:
  escalation:
    provider: q
    baseUrl: http://127.0.0.1:9/v2
    model: mapped
`;

describe('what answers', () => {
  it('is the endpoint of the settings: a catalogue of one tier, in its first generation', async () => {
    const { digest } = catalogueOf({ escalation: { provider: 'p', baseUrl: settings.endpoint, model: 'm' } });
    expect((await choose().choosing).identity).toEqual({
      provider: 'p',
      model: 'm',
      executionAdapter: 'openai-compatible@2',
      catalog: { digest, generation: 1 },
    });
  });

  it('is the catalogue of the file, where one is named', async () => {
    const catalogueFile = await write('catalogue.yaml', yaml);
    const { digest } = catalogueOf({ escalation: { provider: 'q', baseUrl: 'http://127.0.0.1:9/v2', model: 'm' } });
    const { identity } = await choose({ catalogueFile }).choosing;
    expect(identity).toMatchObject({ provider: 'q', model: 'm', catalog: { digest, generation: 4 } });
  });

  it.each([
    ['none', undefined],
    ['json_object', { type: 'json_object' }],
  ] as const)('asks its endpoint for the structured output of the settings: %s', async (structuredOutput, expected) => {
    const bodies: { readonly response_format?: unknown }[] = [];
    const http = createServer((asked, response) => {
      void textOf(asked).then((body) => {
        bodies.push(JSON.parse(body) as object);
        response.end('{}');
      });
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`;
    const env = { EMEND_REPAIR_ENDPOINT: endpoint, EMEND_REPAIR_STRUCTURED_OUTPUT: structuredOutput };
    const generator = await choose(loadConfig(repairAgentConfig, env)).choosing;
    await generator.generate(generation);
    await new Promise((resolve) => http.close(resolve));
    expect(bodies.map((body) => body.response_format)).toEqual([expected]);
  });

  it('is a player where recordings are named', async () => {
    const line = { tier: 'escalation', promptHash: 'a'.repeat(64), model: 'small', output: 'recorded' };
    const playerFile = await write('chosen.jsonl', JSON.stringify(line));
    expect((await choose({ playerFile }).choosing).identity).toMatchObject({ provider: 'recorded', model: 'm' });
  });

  it.each([
    ['that is not there', () => Promise.resolve('/nowhere'), 'player_file_unreadable', 'the file'],
    ['with a bad line', () => write('bad.jsonl', '{"tier":'), 'player_file_invalid', 'line 1'],
    ['without the tier', () => write('none.jsonl', ''), 'player_tier_missing', 'the file'],
  ])('a file of recordings %s is refused, and its place is said', async (_name, file, code, place) => {
    const { choosing, refused } = choose({ playerFile: await file() });
    await expect(choosing).rejects.toMatchObject({ name: 'RefusedToStart', code });
    expect(refused).toMatchObject([{ code, place }]);
  });

  it.each(['', 'two lines\nof it', 'umlaut-ü'])('a key file with %j is refused, unquoted', async (text) => {
    const { choosing } = choose({ apiKeyFile: await write('key', text) });
    await expect(choosing).rejects.toMatchObject({ code: 'api_key_unreadable', message: 'refused to start: api_key_unreadable' });
  });

  it.each([
    ['that is not there', () => Promise.resolve('/nowhere'), 'catalogue_unreadable', 'the file'],
    ['that is no YAML', () => write('bad.yaml', 'tiers: ['), 'catalogue_not_yaml', 'line 1'],
    ['with an unknown member', () => write('more.yaml', `${yaml}    apiKey: x\n`), 'catalogue_invalid', 'tiers.escalation.*'],
    ['without the tier', () => write('less.yaml', 'tiers: {}'), 'tier_missing', 'tiers.escalation'],
  ])('a catalogue file %s is refused, and its place is said', async (_name, file, code, place) => {
    const { choosing, refused } = choose({ catalogueFile: await file() });
    await expect(choosing).rejects.toMatchObject({ name: 'RefusedToStart', code });
    expect(refused).toMatchObject([{ code, place }]);
  });
});
