import { recordedPlayer, recordingsOfTier } from '@emend/agents';
import { canonicalHash } from '@emend/contracts';
import { describe, expect, it } from 'vitest';
import { agentOn, fakeGenerator, told } from './agentOn.js';

const recording = (promptHash: string, output: string) => ({
  tier: 'escalation',
  promptHash,
  model: 'small',
  output,
  finishReason: 'stop',
});

/** An agent on a told request, in front of a player of one recording: by its hash, or by that of the prompt that is rendered. */
async function playing(promptHash?: string) {
  const { tale, broker, request, settlement } = await told();
  const asked = fakeGenerator({ kind: 'failed', code: 'provider_failed' });
  await agentOn((await told()).broker, tale, asked).handle(request);
  const rendered = canonicalHash(asked.asked[0]?.messages);
  const recordings = recordingsOfTier([recording(promptHash ?? rendered, tale.valid)], 'escalation');
  const silent = agentOn(broker, tale, fakeGenerator());
  const generator = recordedPlayer({ recordings, model: 'm', onAsked: (id, played) => silent.deps.events.recordingAsked(id, played) });
  const agent = agentOn(broker, tale, generator);
  await agent.handle(request);
  return { ...silent, settlement };
}

describe('a player in an agent', () => {
  it('answers the prompt that is rendered with the recording of its hash, and the proposal says that it was played', async () => {
    const { settlement, lines, metrics } = await playing();
    expect(await settlement()).toMatchObject({
      name: 'correctionProposed',
      data: { repair: { provider: 'recorded', executionAdapter: 'recorded-player@2' } },
    });
    expect(lines).toMatchObject([{ level: 'info', event: 'repair.recording_asked', outcome: 'played' }]);
    expect(await metrics.text()).toContain('emend_repair_recordings_total{outcome="played",service="repair-agent"} 1');
  });

  it('a missing recording settles the request as a matter of configuration', async () => {
    const { settlement, lines } = await playing('a'.repeat(64));
    expect(await settlement()).toMatchObject({ name: 'runFailed', data: { diagnostic: { class: 'configuration' } } });
    expect(lines).toMatchObject([{ event: 'repair.recording_asked', outcome: 'recording_missing' }]);
  });
});
