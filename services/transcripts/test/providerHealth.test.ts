import { type Model, type ModelAnswer, usageUnsaid } from '@emend/model';
import { createHealth, createMetrics, silentLogger } from '@emend/runtime';
import { expect, it } from 'vitest';
import { watched } from '../src/adapters/openWork.js';
import { transcriptEvents } from '../src/events.js';
import { provenance } from './scene.js';

const generated: ModelAnswer = { kind: 'generated', text: '{}', finishReason: 'stop', usage: usageUnsaid };
const { learnedAdapter: _none, ...identity } = provenance;
const request = {
  messages: [],
  contract: { name: 'c', schema: {} },
  limits: { outputTokensMax: 1, generationMs: 1 },
  signal: new AbortController().signal,
};

it('while a provider does not generate the process is not ready, and it is again with the first answer, whatever that says', async () => {
  const answers: readonly ModelAnswer[] = [
    generated,
    { kind: 'not_generated', code: 'rate_limited' },
    { kind: 'not_generated', code: 'connection_failed' },
    { kind: 'failed', code: 'provider_failed' },
  ];
  let asked = 0;
  const model: Model = { identity, generate: () => Promise.resolve(answers[asked++] ?? generated) };
  const health = createHealth(() => 'ready');
  const metrics = createMetrics({ service: 'transcripts' });
  const watching = watched(model, transcriptEvents({ log: silentLogger, metrics, health }));
  const seen: unknown[] = [];
  for (const answer of answers) {
    expect(await watching.generate(request)).toEqual(answer);
    const { ready, components } = health.report();
    seen.push([ready, components['provider']?.reason]);
  }
  expect(seen).toEqual([
    [true, undefined],
    [false, 'rate_limited'],
    [false, 'connection_failed'],
    [true, undefined],
  ]);
  expect(await metrics.text()).toContain('transcripts_provider_waits_total{code="rate_limited"');
  expect(watching.identity).toEqual(identity);
});
