import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { canonicalHash } from '@emend/contracts';
import { usageUnsaid } from '@emend/model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordedPlayer } from '../src/adapters/recordedPlayer.js';
import { type Recording, readRecordings } from '../src/adapters/recordings.js';
import { agentOn, fakeGenerator, told } from './agentOn.js';

const hash = (character: string): string => character.repeat(64);
const recording = (change: Partial<Recording> = {}): Recording => ({
  note: 'n001',
  tier: 'escalation',
  promptHash: hash('a'),
  output: 'recorded',
  finishReason: 'stop',
  ...change,
});

function player(recordings: readonly Recording[]) {
  const differing: string[] = [];
  const generator = recordedPlayer({ recordings, model: 'm', tier: 'escalation', onPromptDiffers: (capture) => differing.push(capture) });
  const play = async (capture: string, promptHash: string) =>
    generator.generate({ trigger: `stream.thought.source.note.captured.field-notes.${capture}`, promptHash } as never);
  return { generator, differing, play };
}

describe('a player', () => {
  it('plays the recording of the capture', async () => {
    const { play, differing } = player([recording({ note: 'n002', output: 'other' }), recording()]);
    expect(await play('n001', hash('a'))).toEqual({ kind: 'generated', text: 'recorded', finishReason: 'stop', usage: usageUnsaid });
    expect(differing).toEqual([]);
  });

  it('of several it plays the one made from this very prompt', async () => {
    const { play, differing } = player([recording(), recording({ promptHash: hash('b'), output: 'of b' })]);
    expect(await play('n001', hash('b'))).toMatchObject({ text: 'of b' });
    expect(differing).toEqual([]);
  });

  it('says so when the recording was made from another prompt', async () => {
    const { play, differing } = player([recording()]);
    expect(await play('n001', hash('c'))).toMatchObject({ kind: 'generated', text: 'recorded' });
    expect(differing).toEqual(['n001']);
  });

  it('keeps a finish reason that is missing missing', async () => {
    const { finishReason: _none, ...without } = recording();
    expect(await player([without]).play('n001', hash('a'))).toMatchObject({ finishReason: null });
  });

  it.each([
    ['another capture', recording({ note: 'n009' })],
    ['another tier', recording({ tier: 'primary' })],
  ])('has nothing to play from %s, and makes nothing up', async (_name, only) => {
    expect(await player([only]).play('n001', hash('a'))).toEqual({ kind: 'failed', code: 'recording_missing' });
  });

  it('its catalogue is another when its recordings are', () => {
    const digest = (recordings: readonly Recording[]) => player(recordings).generator.identity.catalog.digest;
    expect(digest([recording()])).toBe(digest([recording()]));
    expect(digest([recording()])).not.toBe(digest([recording({ promptHash: hash('b') })]));
  });
});

describe('in an agent', () => {
  it('the prompt that is rendered has the hash that a recording of it carries', async () => {
    const { tale, broker, request, settlement } = await told();
    const asked = fakeGenerator({ kind: 'failed', code: 'provider_failed' });
    await agentOn((await told()).broker, tale, asked).handle(request);
    const promptHash = canonicalHash(asked.asked[0]?.messages);
    const { generator, differing } = player([recording({ promptHash, output: tale.valid })]);
    await agentOn(broker, tale, generator).handle(request);
    expect(await settlement()).toMatchObject({
      name: 'correctionProposed',
      data: { repair: { provider: 'recorded', executionAdapter: 'recorded-player@1' } },
    });
    expect(differing).toEqual([]);
  });

  it('another prompt is a warning and a count, never silent', async () => {
    const { tale, broker, request } = await told();
    const { deps, lines, metrics } = agentOn(broker, tale, fakeGenerator());
    const generator = recordedPlayer({
      recordings: [recording({ output: tale.valid })],
      model: 'm',
      tier: 'escalation',
      onPromptDiffers: (capture) => deps.events.playerPromptDiffers(capture),
    });
    await agentOn(broker, tale, generator).handle(request);
    expect(lines).toMatchObject([{ level: 'warn', event: 'player_prompt_differs', capture: 'n001' }]);
    expect(await metrics.text()).toContain('emend_player_prompt_differs_total{service="repair-agent"} 1');
  });

  it('a missing recording settles the request as a matter of configuration', async () => {
    const { tale, broker, request, settlement } = await told();
    await agentOn(broker, tale, player([]).generator).handle(request);
    expect(await settlement()).toMatchObject({ name: 'runFailed', data: { diagnostic: { class: 'configuration' } } });
  });
});

describe('a file of recordings', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'emend-player-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const write = async (name: string, text: string): Promise<string> => {
    const file = path.join(folder, name);
    await writeFile(file, text);
    return file;
  };

  it('is read line by line; members for people are left out', async () => {
    const file = await write('good.jsonl', `${JSON.stringify({ id: 'x', ...recording(), settings: 'escalation' })}\n\n`);
    expect(await readRecordings(file)).toEqual([recording()]);
  });

  it.each([
    ['a line that is not JSON', `${JSON.stringify(recording())}\n{"note":`, 'player_file_invalid'],
    ['a line without an output', JSON.stringify({ note: 'n001', tier: 'escalation', promptHash: hash('a') }), 'player_file_invalid'],
  ])('with %s is refused whole', async (_name, text, code) => {
    const file = await write('bad.jsonl', text);
    await expect(readRecordings(file)).rejects.toMatchObject({ name: 'RefusedToStart', code });
  });

  it.each([
    ['is not there', () => path.join(folder, 'none')],
    ['is a folder', () => folder],
    // Read as a file it would hold no recording.
    ['is a device', () => '/dev/null'],
  ])('that %s is refused', async (_name, file) => {
    await expect(readRecordings(file())).rejects.toMatchObject({ code: 'player_file_unreadable' });
  });

  it('too large to be read at all is refused for its size, without reading', async () => {
    const file = await write('huge.jsonl', '');
    await truncate(file, 3 * 1024 ** 3);
    await expect(readRecordings(file)).rejects.toMatchObject({ code: 'player_file_invalid' });
  });
});
