import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { usageUnsaid } from '@emend/model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Played, recordedPlayer, type PlayerOptions } from '../src/recorded/recordedPlayer.js';
import { readRecordings } from '../src/recorded/readRecordings.js';
import { parseRecordings, type Recording, recordingsOfTier } from '../src/recorded/recordings.js';

const hash = (character: string): string => character.repeat(64);
const recording = (change: Partial<Recording> = {}): Recording => ({
  tier: 'escalation',
  promptHash: hash('a'),
  model: 'small',
  output: 'recorded',
  finishReason: 'stop',
  ...change,
});

function player(recordings: readonly Recording[], change: Pick<PlayerOptions, 'model'> = {}) {
  const asked: [string, Played][] = [];
  const model = recordedPlayer({
    recordings: recordingsOfTier(recordings, 'escalation'),
    onAsked: (id, played) => asked.push([id, played]),
    ...change,
  });
  const play = (promptHash: string, id = 'run-1') =>
    model.generate({
      id,
      promptHash,
      messages: [],
      contract: { name: 'c@1', schema: {} },
      limits: { outputTokensMax: 1, generationMs: 1 },
      signal: new AbortController().signal,
    });
  return { model, asked, play };
}

describe('a player', () => {
  it('plays what was recorded to this very prompt, and counts it', async () => {
    const { play, asked } = player([recording({ promptHash: hash('b'), output: 'of b' }), recording()]);
    expect(await play(hash('a'))).toEqual({ kind: 'generated', text: 'recorded', finishReason: 'stop', usage: usageUnsaid });
    expect(await play(hash('b'), 'run-2')).toMatchObject({ text: 'of b' });
    expect(asked).toEqual([
      ['run-1', 'played'],
      ['run-2', 'played'],
    ]);
  });

  it('plays the same again to the same prompt, and says that it is again', async () => {
    const { play, asked } = player([recording()]);
    expect(await play(hash('a'))).toEqual(await play(hash('a'), 'run-2'));
    expect(asked).toEqual([
      ['run-1', 'played'],
      ['run-2', 'played_again'],
    ]);
  });

  it('keeps a finish reason that is missing missing', async () => {
    const { finishReason: _none, ...without } = recording();
    expect(await player([without]).play(hash('a'))).toMatchObject({ finishReason: null });
  });

  it.each([
    ['another prompt', recording({ promptHash: hash('b') })],
    ['another tier', recording({ tier: 'primary' })],
  ])('has nothing to play from a recording of %s, and makes nothing up', async (_name, other) => {
    const { play, asked } = player([other, recording({ promptHash: hash('c') })]);
    expect(await play(hash('a'))).toEqual({ kind: 'failed', code: 'recording_missing' });
    expect(asked).toEqual([['run-1', 'recording_missing']]);
  });

  it('is told by its provenance: recorded, by the model of the recordings unless a host names it', () => {
    const { identity } = player([recording()]).model;
    expect(identity).toMatchObject({ provider: 'recorded', model: 'small', executionAdapter: 'recorded-player@2' });
    expect(player([recording()], { model: 'mapped' }).model.identity.model).toBe('mapped');
  });

  it('its catalogue is another when its recordings are, and not when their order is', () => {
    const [a, b] = [recording(), recording({ promptHash: hash('b') })];
    const digest = (recordings: readonly Recording[]) => player(recordings).model.identity.catalog.digest;
    expect(digest([a, b])).toBe(digest([b, a]));
    expect(digest([a])).not.toBe(digest([a, b]));
  });
});

describe('the recordings of a tier', () => {
  it('may hold one answer to a prompt twice', () => {
    expect(recordingsOfTier([recording(), recording()], 'escalation').byPrompt.size).toBe(1);
  });

  it.each([
    ['two outputs to one prompt', recording({ output: 'other' })],
    ['two finish reasons to one prompt', recording({ finishReason: 'length' })],
    ['two models', recording({ promptHash: hash('b'), model: 'large' })],
  ])('that has %s is refused', (_name, other) => {
    expect(() => recordingsOfTier([recording(), other], 'escalation')).toThrow(
      expect.objectContaining({ name: 'RecordingsError', code: 'player_file_contradicts' }) as Error,
    );
  });

  it('that has none is refused: it would end every run', () => {
    expect(() => recordingsOfTier([recording()], 'primary')).toThrow(expect.objectContaining({ code: 'player_tier_missing' }) as Error);
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
    ['a line that is not JSON', '{"tier":'],
    ['a line without an output', JSON.stringify({ ...recording(), output: undefined })],
    ['a line without a model', JSON.stringify({ ...recording(), model: undefined })],
    ['a line with another hash than one', JSON.stringify(recording({ promptHash: 'secret' }))],
  ])('with %s is refused whole, with the line and without its text', (_name, bad) => {
    const text = `${JSON.stringify(recording())}\n${bad}`;
    expect(() => parseRecordings(text)).toThrow(
      expect.objectContaining({
        name: 'RecordingsError',
        message: 'player_file_invalid at line 2: expected tier, promptHash, model, output and finishReason of a recording',
      }) as Error,
    );
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
    await expect(readRecordings(file)).rejects.toMatchObject({ code: 'player_file_invalid', place: 'the file' });
  });
});
