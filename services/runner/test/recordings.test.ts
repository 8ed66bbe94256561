import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Played } from '@emend/agents';
import { canonicalHash } from '@emend/contracts';
import { memoryBroker } from '@emend/log/memory';
import { manualTime } from '@emend/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoingWorker } from '../../../test/support/echoingWorker.js';
import { openTierModels } from '../src/adapters/tierModels.js';
import { renderRunnerPrompt } from '../src/domain/runnerPrompt.js';
import { answeringOf } from '../src/adapters/answering.js';
import { fakeModel, malformed, noted, repaired, runnerOn, says } from './runnerOn.js';
import { contract, observer, sourceOf } from './scene.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'emend-recordings-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const write = async (name: string, text: string): Promise<string> => {
  const file = path.join(folder, name);
  await writeFile(file, text);
  return file;
};

/** The runner's models of one tier, played from a file. */
async function played(playerFile: string) {
  const asked: Played[] = [];
  const refused: object[] = [];
  const models = openTierModels(
    {
      config: { playerFile, catalogueFile: undefined, escalationModel: undefined, outputRepairModel: undefined },
      launcher: echoingWorker,
      timers: manualTime(),
      events: {
        modelDiffers: () => {},
        workerEnded: () => {},
        recordingAsked: (_run, outcome) => void asked.push(outcome),
        modelRefused: (error) => void refused.push(error),
      },
    },
    ['primary'],
  );
  return { models, asked, refused };
}

const recording = (promptHash: string, output: string): string =>
  JSON.stringify({ tier: 'primary', promptHash, model: 'small', output, finishReason: 'stop' });

/** The hash of the prompt of the note, and of what the overseer is asked about a malformed answer to it. */
async function promptHashes(): Promise<{ readonly primary: string; readonly overseer: string }> {
  const { broker, note } = await noted();
  const model = fakeModel(says(malformed), { kind: 'failed', code: 'provider_failed' });
  await runnerOn(broker, model).handle(note);
  const { id, data } = sourceOf();
  const facts = { prompt: observer().prompt, contractPrompt: contract.promptDescription, source: { eventId: id, text: data.text } };
  return { primary: canonicalHash(renderRunnerPrompt(facts)), overseer: model.asked[1]?.promptHash ?? '' };
}

/** A note answered from a file with these recordings. */
async function answeredFrom(...lines: readonly string[]) {
  const { models, asked } = await played(await write('recordings.jsonl', lines.join('\n')));
  const { answers: generator, repairs: model } = (await models).get('primary') ?? expect.fail('the tier is open');
  const story = await noted(memoryBroker());
  const { deps } = runnerOn(story.broker, fakeModel());
  const outputRepair = { model, trace: () => undefined };
  const answering = answeringOf({ ...deps, generator, contract, outputRepair, timers: manualTime(), waitMaxMs: 0 });
  await runnerOn(story.broker, fakeModel(), { agents: [{ agent: observer(), contract, answering }] }).handle(story.note);
  return { ...story, asked };
}

describe('recordings in place of a catalogue', () => {
  it('answer and repair by the hash of the very prompt, and the claim says that they were played', async () => {
    const { primary, overseer } = await promptHashes();
    const { started, ended, asked } = await answeredFrom(recording(primary, malformed), recording(overseer, repaired));
    expect(await started()).toMatchObject({
      data: { model: { provider: 'recorded', model: 'small', executionAdapter: 'recorded-player@2' } },
    });
    expect(await ended()).toMatchObject({ data: { completion: 'overseen', calls: { primary: 1, overseer: 1 } } });
    expect(asked).toEqual(['played', 'played']);
  });

  it('without the overseer’s answer the run is what the model’s own answer was, and the call counts', async () => {
    const { primary } = await promptHashes();
    const { ended, asked } = await answeredFrom(recording(primary, malformed));
    expect(await ended()).toMatchObject({ data: { diagnostic: { class: 'contract_violation' }, calls: { primary: 1, overseer: 1 } } });
    expect(asked).toEqual(['played', 'recording_missing']);
  });

  it('without the model’s answer the run fails as a matter of configuration', async () => {
    const { ended } = await answeredFrom(recording('0'.repeat(64), malformed));
    expect(await ended()).toMatchObject({ data: { diagnostic: { class: 'configuration' }, calls: { primary: 1, overseer: 0 } } });
  });

  it.each([
    ['that is not there', () => Promise.resolve('/nowhere'), 'player_file_unreadable', 'the file'],
    ['with a bad line', () => write('bad.jsonl', '{"tier":'), 'player_file_invalid', 'line 1'],
    ['without a tier', () => write('none.jsonl', ''), 'player_tier_missing', 'the file'],
    [
      'with two answers to one prompt',
      () => write('two.jsonl', [recording('0'.repeat(64), 'a'), recording('0'.repeat(64), 'b')].join('\n')),
      'player_file_contradicts',
      'the file',
    ],
  ])('in a file %s are refused, and the place is said', async (_name, file, code, place) => {
    const { models, refused } = await played(await file());
    await expect(models).rejects.toMatchObject({ name: 'RefusedToStart', code });
    expect(refused).toMatchObject([{ code, place }]);
  });
});
