import { compileContract, type EventOf, observation, subjects } from '@emend/contracts';
import { memoryBroker } from '@emend/log/memory';
import { describe, expect, it } from 'vitest';
import { tampered } from '../../../test/support/history.js';
import { agentOn, answers, eventAt, fakeGenerator } from './agentOn.js';
import { original, sourceText, story } from './story.js';

const canary = 'canary-4d20';

/** What no repair context may hold, as a careless producer would write it beside the fields of its events (T76 to T82). */
const excluded = {
  candidate: `{"title": ${canary}`,
  reasoning: canary,
  providerRequest: { messages: [canary] },
  providerResponse: { choices: [canary] },
  prompt: canary,
  message: canary,
  quarantined: canary,
  trace: [canary],
};

/** The story of a failed run, told by a careless producer to a broker whose quarantine and trace hold the malformed text too. */
async function poisoned() {
  const tale = story();
  const broker = memoryBroker();
  for (const event of tale.events) {
    const whole = event.subject.includes('.declared.');
    const careless = whole ? event : tampered(event, { envelope: { note: canary }, data: excluded });
    await broker.log.append({ subject: event.subject, bytes: careless.bytes });
  }
  await (await broker.view('quarantine')).put(tale.run, Buffer.from(excluded.candidate), 0);
  await broker.store('trace.thought.output-repair.failed', Buffer.from(canary));
  const request = await broker.log.get(subjects.repairRequested({ run: tale.run, policy: tale.policy }));
  if (request === null) throw new Error('a story ends with its request');
  return { tale, broker, request };
}

describe('the context of a repair', () => {
  it('is exactly this, whatever else stands in and beside the log (T67 to T83)', async () => {
    const { tale, broker, request } = await poisoned();
    const generator = fakeGenerator(answers(tale.valid));
    expect(await agentOn(broker, tale, generator).handle(request)).toEqual({ kind: 'done' });
    const { messages, signal: _signal, promptHash: _hash, ...around } = generator.asked[0] ?? { messages: [] };
    // The repository prompt and the contract's own words; the source, the sanitized issues, and what the agent is to do.
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(messages[0]?.content.split('\n\n')).toEqual(['You write observations.', ...observation.promptDescription.split('\n\n')]);
    expect(messages[1]?.content.split('\n').filter((line) => line !== '')).toEqual([
      expect.stringContaining((await eventAt(broker.log, tale.source))?.id ?? 'no source'),
      sourceText,
      expect.any(String),
      '- required at (whole answer)',
      'Repair.',
    ]);
    expect(around).toEqual({
      id: tale.requestId,
      contract: { name: `${observation.id}@${observation.version}`, schema: observation.schema },
      limits: tale.repairAgent.limits,
    });
    expect(JSON.stringify(generator.asked)).not.toContain(canary);
  });

  it('leaves pointers to the failed run, its failure, the trigger and the source root in the proposal (T67, T92)', async () => {
    const { tale, broker, request } = await poisoned();
    await agentOn(broker, tale, fakeGenerator(answers(tale.valid))).handle(request);
    const [failed, source] = [
      await eventAt(broker.log, subjects.runEnded({ producer: 'runner', run: tale.run })),
      await eventAt(broker.log, tale.source),
    ];
    const proposed = (await eventAt(broker.log, tale.settlementPlace)) as EventOf<'correctionProposed'>;
    const claim = (await eventAt(broker.log, tale.claimPlace)) as EventOf<'runStarted'>;
    expect(proposed.rootId).toBe(source?.id);
    expect(proposed.data).toMatchObject({
      run: tale.run,
      failed: failed?.id,
      request: tale.requestId,
      repairRun: claim.data.run,
      trigger: tale.source,
      contract: compileContract(observation).ref,
      original,
    });
    expect(JSON.stringify(proposed)).not.toContain(canary);
  });
});
