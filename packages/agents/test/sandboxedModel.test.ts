import { canonicalHash } from '@emend/contracts';
import { type Model, type ModelAnswer, usageUnsaid } from '@emend/model';
import { describe, expect, it } from 'vitest';
import { echoingWorker } from '../../../test/support/echoingWorker.js';
import { type Launcher, promptHashOf, type RunRecord, type RunRequest, sandboxedModel } from '../src/index.js';

const messages = [
  { role: 'system', content: 'Answer with JSON.' },
  { role: 'user', content: 'Source note-1' },
] as const;

const generation: RunRequest = {
  messages,
  promptHash: canonicalHash(messages),
  id: 'request-1',
  contract: { name: 'c@1', schema: {} },
  limits: { outputTokensMax: 100, generationMs: 1_000 },
  signal: new AbortController().signal,
};

function upstreamOf(generated: ModelAnswer) {
  const asked: RunRequest[] = [];
  const upstream: Model<RunRequest> = {
    identity: { provider: 'fake', model: 'm', executionAdapter: 'fake@1', catalog: { digest: 'a'.repeat(64), generation: 1 } },
    generate(one) {
      asked.push(one);
      return Promise.resolve(generated);
    },
  };
  return { upstream, asked };
}

const ends: readonly ModelAnswer[] = [
  { kind: 'generated', text: '{"a":1}', finishReason: 'length', usage: { promptTokens: 7, completionTokens: 2 } },
  { kind: 'generated', text: '', finishReason: null, usage: usageUnsaid },
  { kind: 'failed', code: 'provider_failed' },
  { kind: 'not_generated', code: 'rate_limited' },
];

describe('a sandboxed model', () => {
  it.each(ends)('returns what its upstream said: %j', async (end) => {
    const { upstream, asked } = upstreamOf(end);
    const records: RunRecord[] = [];
    const generator = sandboxedModel({ upstream, launcher: echoingWorker, onRun: (_id, record) => records.push(record) });
    expect(await generator.generate(generation)).toEqual(end);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ messages, promptHash: generation.promptHash, id: 'request-1' });
    expect(records).toMatchObject([{ upstreamCalls: 1, refused: 0 }]);
  });

  it('is to the log what its upstream is', () => {
    const { upstream } = upstreamOf({ kind: 'failed', code: 'provider_failed' });
    expect(sandboxedModel({ upstream, launcher: echoingWorker, onRun: () => {} }).identity).toBe(upstream.identity);
  });

  it('asks nothing where the messages are not those of the claim', async () => {
    const { upstream, asked } = upstreamOf({ kind: 'failed', code: 'provider_failed' });
    const generator = sandboxedModel({ upstream, launcher: echoingWorker, onRun: () => {} });
    expect(await generator.generate({ ...generation, promptHash: 'b'.repeat(64) })).toEqual({ kind: 'failed', code: 'prompt_mismatch' });
    expect(asked).toEqual([]);
  });

  it('asks nothing where no worker can be started, and says that none was asked', async () => {
    const { upstream, asked } = upstreamOf({ kind: 'failed', code: 'provider_failed' });
    const launcher = {
      launch: () => {
        throw new Error('EAGAIN');
      },
    };
    const generator = sandboxedModel({ upstream, launcher, onRun: () => {} });
    expect(await generator.generate(generation)).toEqual({ kind: 'not_generated', code: 'sandbox_not_started' });
    expect(asked).toEqual([]);
  });

  it('gives up its call upstream where the run breaks off', async () => {
    const caller = new AbortController();
    const heard: boolean[] = [];
    const upstream: Model<RunRequest> = {
      ...upstreamOf({ kind: 'failed', code: 'provider_failed' }).upstream,
      generate: ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            heard.push(caller.signal.aborted);
            resolve({ kind: 'failed', code: 'call_cancelled' });
          });
          caller.abort();
        }),
    };
    const generator = sandboxedModel({ upstream, launcher: echoingWorker, onRun: () => {} });
    expect(await generator.generate({ ...generation, signal: caller.signal })).toEqual({ kind: 'failed', code: 'run_cancelled' });
    expect(heard).toEqual([true]);
  });

  it('gives up its call upstream where the worker ends before the answer', async () => {
    let killWorker = (): void => {};
    const launcher: Launcher = {
      launch() {
        const worker = echoingWorker.launch();
        killWorker = worker.kill;
        return worker;
      },
    };
    let aborted = false;
    const upstream: Model<RunRequest> = {
      ...upstreamOf({ kind: 'failed', code: 'provider_failed' }).upstream,
      generate: ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            resolve({ kind: 'failed', code: 'call_cancelled' });
          });
          killWorker();
        }),
    };
    const generator = sandboxedModel({ upstream, launcher, onRun: () => {} });
    expect(await generator.generate(generation)).toEqual({ kind: 'failed', code: 'worker_ended_early' });
    expect(aborted).toBe(true);
  });

  it('names a prompt as the claim does', () => {
    expect(promptHashOf(messages)).toBe(canonicalHash(messages));
  });
});
