import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { correctCommand } from '../src/commands/correct.js';
import { settingsCommand } from '../src/commands/settings.js';
import { parseSettings } from '../src/settingsFile.js';
import { stageSettings } from '../src/settings.js';

const whole = `profile: small
repair:
  max_attempts: 2
stages:
  homophones:
    repair: { max_attempts: 0 }
  grammar:
    profile: large
    repair:
      profile: careful
`;

describe('a file of settings', () => {
  it('gives root and stages, which are combined before a repair profile falls back (A84, A114, A123)', () => {
    const read = parseSettings(whole);
    if (read.kind === 'refused') throw new Error(JSON.stringify(read.faults));
    const { homophones, grammar, glossary } = stageSettings(read.settings);
    expect(glossary).toEqual({ budget: 2, profile: 'small', repairProfile: 'small' });
    expect(homophones).toEqual({ budget: 0, profile: 'small', repairProfile: 'small' });
    expect(grammar).toEqual({ budget: 2, profile: 'large', repairProfile: 'careful' });
    expect(read.profiles.map(({ place, line }) => [place, line])).toEqual([
      ['profile', 1],
      ['stages.grammar.profile', 8],
      ['stages.grammar.repair.profile', 10],
    ]);
  });

  it('an empty one says nothing', () => {
    expect(parseSettings('')).toMatchObject({ kind: 'read', settings: {}, profiles: [] });
  });

  it.each([
    ['an unknown member', 'profil: small', [1, '*', '`profile`, `repair` or `stages`']],
    ['an unknown stage', 'profile: a\nstages:\n  gramar: {}', [3, 'stages.*', '`glossary`, `homophones`, `spoken_word`, `grammar`']],
    ['an unknown member of a stage', 'stages:\n  grammar:\n    budget: 1', [3, 'stages.grammar.*', '`profile` or `repair`']],
    ['an unknown member of repair', 'repair:\n  attempts: 1', [2, 'repair.*', '`max_attempts` or `profile`']],
    ['a budget below 0', 'repair:\n  max_attempts: -1', [2, 'repair.max_attempts', 'a whole number from 0 to 10']],
    ['a budget that is no whole number', 'repair: { max_attempts: 1.5 }', [1, 'repair.max_attempts', 'a whole number from 0 to 10']],
    ['a budget without an end', 'repair: { max_attempts: 11 }', [1, 'repair.max_attempts', 'a whole number from 0 to 10']],
    ['a budget as text', 'repair: { max_attempts: "1" }', [1, 'repair.max_attempts', 'a whole number from 0 to 10']],
    ['a profile that is no name', 'profile: Small One', [1, 'profile', 'a profile: small letters, digits, _ and -, at most 64']],
    ['a stage that is a text', 'stages:\n  grammar: large', [2, 'stages.grammar', '`profile`, `repair`']],
    ['a list', '- profile', [null, 'the file', 'settings: `profile`, `repair`, `stages`']],
    ['no YAML', 'profile: {', [1, 'the file', 'one YAML document']],
    ['a member twice', 'profile: a\nprofile: b', [2, 'the file', 'one YAML document']],
    ['two documents', 'profile: a\n---\nprofile: b', [2, 'the file', 'one YAML document']],
    ['an alias', 'profile: &a small\nrepair: { profile: *a }', [null, 'the file', 'YAML without aliases']],
  ] as const)('%s is refused with its line, its place and what was expected', (_, text, [line, place, expected]) => {
    expect(parseSettings(text)).toEqual({ kind: 'refused', faults: [{ line, place, expected }] });
  });

  it('says everything that is wrong at once', () => {
    const read = parseSettings('profile: 1\nrepair: { max_attempts: x }\nsecret: hunter2');
    expect(read.kind === 'refused' && read.faults.map(({ place }) => place)).toEqual(['profile', 'repair.max_attempts', '*']);
    expect(JSON.stringify(read)).not.toMatch(/hunter2|secret/);
  });
});

let folder: string;
let server: Server;
let asked: (readonly [model: string, purpose: string])[] = [];
/** Whether lists of proposals come as no JSON; a repair gives an empty one. */
let torn = false;
const at = (name: string): string => path.join(folder, name);

/** Proposes a bad correction in the stage grammar, and withdraws it. */
function answerTo(messages: readonly { readonly content: string }[]): readonly [purpose: string, answer: object] {
  const [first, last] = [messages[0]?.content ?? '', messages.at(-1)?.content ?? ''];
  if (first.includes('repaired_arguments')) return ['repair', { repaired_arguments: { corrections: [] } }];
  if (last.includes('proposal_ref')) return ['revise', { proposal_ref: 'p1', action: 'withdraw' }];
  if (!first.includes('"corrections"')) return ['decide', { verdict: 'approve' }];
  const correction = { segment: 1, original: 'at six', replacement: 'at seven', reason: 'guess' };
  return ['propose', { corrections: first.includes('grammar') ? [correction] : [] }];
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'emend-settings-'));
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const { model, messages } = JSON.parse(body) as {
        readonly model: string;
        readonly messages: readonly { readonly content: string }[];
      };
      const [purpose, answer] = answerTo(messages);
      asked.push([model, purpose]);
      response.setHeader('content-type', 'application/json');
      const content = torn && purpose === 'propose' ? '{"corrections" = []}' : JSON.stringify(answer);
      const message = { role: 'assistant', content };
      response.end(JSON.stringify({ model, choices: [{ finish_reason: 'stop', message }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const tiers = ['small', 'large', 'careful'].map((tier) => `  ${tier}: { provider: here, baseUrl: "${baseUrl}", model: ${tier}-model }\n`);
  await writeFile(at('catalogue.yaml'), `tiers:\n${tiers.join('')}`);
  await writeFile(at('settings.yaml'), whole);
  await writeFile(at('whole.yaml'), 'profile: small');
  await writeFile(at('talk.txt'), 'we met at six\n');
});
beforeEach(() => {
  torn = false;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

const catalogued = (settings: string | null) => ({
  EMEND_MODEL_CATALOGUE_FILE: at('catalogue.yaml'),
  ...(settings !== null && { EMEND_TRANSCRIPTS_SETTINGS_FILE: at(settings) }),
});

async function said(command: typeof settingsCommand, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const lines: string[] = [];
  await command(args, env, { say: (text) => void lines.push(text), complain: () => {}, colour: false });
  return lines.join('\n');
}

describe('settings in force', () => {
  it('each stage asks the models of its own profiles', async () => {
    asked = [];
    await said(correctCommand, [at('talk.txt')], catalogued('settings.yaml'));
    expect(asked).toEqual([
      ['small-model', 'propose'],
      ['small-model', 'propose'],
      ['large-model', 'propose'],
      ['large-model', 'decide'],
      ['large-model', 'decide'],
      ['careful-model', 'revise'],
    ]);
  });

  it.each([
    ['by the model that wrote it', {}, ['small-model']],
    ['by the one that is named', { EMEND_TRANSCRIPTS_OUTPUT_REPAIR_MODEL: 'mender' }, ['mender']],
  ])('a reply that cannot be read is repaired once, %s', async (_, env, menders) => {
    asked = [];
    torn = true;
    await said(correctCommand, [at('talk.txt')], { ...catalogued('whole.yaml'), ...env });
    expect(asked.filter(([, purpose]) => purpose === 'repair').map(([model]) => model)).toEqual([...menders, ...menders, ...menders]);
    expect(asked.filter(([, purpose]) => purpose === 'propose')).toHaveLength(3);
  });

  it('with ring 1 switched off such a reply fails the stage', async () => {
    asked = [];
    torn = true;
    const failing = said(correctCommand, [at('talk.txt')], { ...catalogued('whole.yaml'), EMEND_TRANSCRIPTS_OUTPUT_REPAIR: 'false' });
    await expect(failing).rejects.toMatchObject({ code: 'stage_failed', places: ['invalid_json in homophones, section 1'] });
    expect(asked).toEqual([['small-model', 'propose']]);
  });

  it('are shown stage by stage, with the model of each profile', async () => {
    expect(await said(settingsCommand, [], catalogued('settings.yaml'))).toBe(
      [
        'stage        profile              repair.max_attempts  repair.profile',
        'glossary     small (small-model)  2                    small (small-model)',
        'homophones   small (small-model)  0                    small (small-model)',
        'spoken_word  small (small-model)  2                    small (small-model)',
        'grammar      large (large-model)  2                    careful (careful-model)',
      ].join('\n'),
    );
  });

  it('are one document with --json', async () => {
    const stages = JSON.parse(await said(settingsCommand, ['--json'], catalogued('settings.yaml'))) as Record<string, object>;
    expect(stages['grammar']).toEqual({ budget: 2, profile: 'large', repairProfile: 'careful' });
    await expect(said(settingsCommand, ['grammar'], catalogued('settings.yaml'))).rejects.toMatchObject({
      code: expect.stringContaining('PARSE_ARGS') as string,
    });
  });

  it('are those of the endpoint and the environment where there is no file', async () => {
    const env = { EMEND_TRANSCRIPTS_MODEL: 'mine', EMEND_TRANSCRIPTS_REPAIR_MAX_ATTEMPTS: '3' };
    expect((await said(settingsCommand, [], env)).split('\n').at(-1)).toBe(
      'grammar      transcripts (mine)  3                    transcripts (mine)',
    );
  });

  it.each([
    [
      'a profile that the catalogue has not',
      'profile: small\nrepair: { profile: huge }',
      ':2: repair.profile: expected one of small, large, careful',
    ],
    ['no profile for a stage', 'stages: { grammar: { profile: large } }', ': profile: expected one of small, large, careful'],
    ['a wrong value', 'profile: small\nrepair: { max_attempts: many }', ':2: repair.max_attempts: expected a whole number from 0 to 10'],
  ])('%s is refused before the first call, with its file', async (_, text, expected) => {
    asked = [];
    await writeFile(at('wrong.yaml'), text);
    const refusal = { code: 'settings_refused', message: `settings_refused: ${at('wrong.yaml')}${expected}` };
    await expect(said(settingsCommand, [], catalogued('wrong.yaml'))).rejects.toMatchObject(refusal);
    await expect(said(correctCommand, [at('talk.txt')], catalogued('wrong.yaml'))).rejects.toMatchObject(refusal);
    expect(asked).toEqual([]);
  });

  it('a catalogue without a file of settings needs a tier of the default name', async () => {
    await expect(said(settingsCommand, [], catalogued(null))).rejects.toMatchObject({
      message: 'settings_refused: no file of settings: profile: expected one of small, large, careful',
    });
  });

  it('a file that is not there or is no file is refused', async () => {
    await expect(said(settingsCommand, [], catalogued('nowhere.yaml'))).rejects.toMatchObject({ code: 'file_unreadable' });
    await expect(said(settingsCommand, [], { EMEND_TRANSCRIPTS_SETTINGS_FILE: folder })).rejects.toMatchObject({ code: 'file_unreadable' });
  });
});
