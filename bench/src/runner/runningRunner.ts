import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '@emend/cli';
import { Producer } from '@emend/client';
import { type AgentWritten, observation, readEvent } from '@emend/contracts';
import type { Broker } from '@emend/log';
import { openStage } from '../log/stage.js';
import { instantProvider } from './instantProvider.js';

/** As many sources in hand as this machine has cores: each is a worker that keeps one busy. */
export const slots = Math.min(availableParallelism(), 32);

export interface RunningRunner {
  /** Writes so many sources and waits until each has its output. @throws where one has none. */
  answer(count: number): Promise<number>;
  close(): Promise<void>;
}

/** The runner as a process of its own, on a log of its own, in front of a provider that answers at once. */
export async function openRunner(root: string): Promise<RunningRunner> {
  const stage = await openStage(root);
  const folder = await mkdtemp(join(tmpdir(), 'emend-bench-'));
  const provider = await instantProvider();
  const catalogue = join(folder, 'catalogue.yaml');
  // What YAML calls a flow mapping is JSON.
  await writeFile(catalogue, JSON.stringify({ tiers: { small: { provider: 'local', baseUrl: provider.url, model: 'instant' } } }));
  const producer = new Producer({ log: stage.broker.log, producer: 'bench' });
  await declare(producer);
  const service = startService({
    home: root,
    service: 'runner',
    logFile: join(folder, 'runner.log'),
    env: {
      ...process.env,
      EMEND_NATS_URL: stage.url,
      EMEND_RUNNER_AGENTS: 'bench.observer@1',
      EMEND_MODEL_CATALOGUE_FILE: catalogue,
      EMEND_RUNNER_SLOTS: String(slots),
    },
  });
  await service.ready;
  let written = 0;
  return {
    async answer(count) {
      const from = (await stage.broker.log.lastSequence()) + 1;
      const captures = Array.from({ length: count }, () => capture(producer, (written += 1)));
      await Promise.all(captures);
      await outputsFrom(stage.broker, from, count);
      return count;
    },
    async close() {
      await service.stop();
      await provider.close();
      await stage.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function declare(producer: Producer): Promise<void> {
  const { ref } = await producer.declareContract(observation);
  const agent: AgentWritten = {
    id: 'bench.observer',
    version: 1,
    role: 'standard',
    tier: 'small',
    subscriptions: ['stream.thought.source.note.captured'],
    contract: ref,
    prompt: 'Say what the note observes.',
    outputPrivacy: 'public',
    learnedAdapter: null,
    limits: { outputTokensMax: 512, generationMs: 60_000 },
    enabled: true,
  };
  await producer.declareAgent(agent);
}

const capture = (producer: Producer, number: number) =>
  producer.capture({
    kind: 'note',
    capture: `n${number}`,
    text: `Post ${number}: the gauge at the north pier stood at 2.14 m at six in the morning.`,
    privacy: 'public',
    sourceClass: 'public-source',
  });

/** Follows the ends of runs until there are so many outputs. */
async function outputsFrom({ log }: Broker, from: number, count: number): Promise<void> {
  const end = new AbortController();
  let outputs = 0;
  for await (const stored of log.read({ from, subject: 'stream.thought.agent.run.ended.>', signal: end.signal })) {
    const read = readEvent(stored);
    if (read.kind !== 'event' || read.event.name !== 'outputProduced') throw new Error('every run ends with an output');
    outputs += 1;
    if (outputs === count) break;
  }
  end.abort();
}
