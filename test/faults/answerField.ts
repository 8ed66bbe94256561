import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Producer } from '@emend/client';
import { AnswerFold } from './answerFold.js';
import { captureOf, fieldProducer, observationOf, sourceEventId, textOf } from './field.js';
import { type Ground, openGround } from './ground.js';

export const replicas = ['runner/1', 'runner/2'] as const;
const heartbeatMs = 500;
/** Sources in hand at once in each replica. */
export const slots = 3;
export const inHandMax = slots * replicas.length;
export const attemptsMax = 3;

/** Sources that wait for their answer, two replicas that are not started yet, and everything between them. */
export interface AnswerField extends Ground<AnswerFold> {
  /** Whether the broker has nothing left for the replicas: no message waits, and none is in hand. */
  isIdle(): Promise<boolean>;
}

/** How the answer to a source comes to be valid where nothing dies: a third as written, a third by the decoder, a third by the overseer. */
export const ways = ['exact', 'repaired', 'overseen'] as const;
export const wayOf = (number: number): (typeof ways)[number] => ways[number % ways.length] ?? 'exact';

export async function openAnswerField(sources: number, random: () => number): Promise<AnswerField> {
  const numbers = Array.from({ length: sources }, (_, number) => number);
  const field = await openGround({
    provider: { answer: answerOf(numbers), tookMs: () => 100 + random() * 400, keyOf: callOf },
    fold: new AnswerFold(attemptsMax),
    services: [],
    replicas,
    places: { claims: 'stream.thought.agent.run.started.runner.', ends: 'stream.thought.agent.run.ended.runner.' },
    settings: settingsOf,
  });
  const producer = new Producer({ log: field.broker.log, producer: fieldProducer });
  for (const number of numbers) {
    const written = { kind: 'note', capture: captureOf(number), text: textOf(number) };
    await producer.capture({ ...written, privacy: 'public', sourceClass: 'public-source' });
  }
  await field.watch.until((fold) => fold.sources.size === sources);
  return { ...field, isIdle: () => isIdle(field) };
}

/** Each replica has an address of the provider to itself, so that a call says whose it is. */
async function settingsOf(replica: string, { dataDir, endpoint }: { readonly dataDir: string; readonly endpoint: string }) {
  const catalogue = join(dataDir, `${replica.replace('/', '-')}.yaml`);
  const baseUrl = endpoint.replace('/v1', `/${replica}/v1`);
  // What YAML calls a flow mapping is JSON.
  await writeFile(catalogue, JSON.stringify({ tiers: { small: { provider: 'local', baseUrl, model: 'small' } } }));
  return {
    EMEND_RUNNER_AGENTS: 'field.observer@1',
    EMEND_MODEL_CATALOGUE_FILE: catalogue,
    EMEND_RUNNER_SLOTS: String(slots),
    EMEND_RUNNER_HEARTBEAT_MS: String(heartbeatMs),
    EMEND_RUNNER_ATTEMPTS_MAX: String(attemptsMax),
  };
}

const isOverseers = (prompt: string): boolean => prompt.includes('malformed_arguments');
/** The source of a call: a run names it, and an overseer is shown a text that cites it. */
const sourceIn = (prompt: string): string =>
  (isOverseers(prompt) ? /eventId\\":\\"([A-Za-z0-9_-]+)/ : /Source ([A-Za-z0-9_-]+):/).exec(prompt)?.[1] ?? 'none';

/** What a call is counted under. */
export const callKey = (call: 'primary' | 'overseer', replica: string, source: string): string => `${call} ${replica} ${source}`;
function callOf(prompt: string, path: string): string {
  const replica = replicas.find((one) => path.startsWith(`/${one}/`)) ?? 'nobody';
  return callKey(isOverseers(prompt) ? 'overseer' : 'primary', replica, sourceIn(prompt));
}

function answerOf(numbers: readonly number[]): (prompt: string) => string {
  const numberOf = new Map(numbers.map((number) => [sourceEventId(number), number]));
  return (prompt) => {
    const number = numberOf.get(sourceIn(prompt));
    if (number === undefined) return 'no such source';
    const whole = observationOf(number, 'answered');
    if (isOverseers(prompt)) return JSON.stringify({ repaired_arguments: whole });
    const { title: _left, ...untitled } = whole;
    const said = {
      exact: JSON.stringify(whole),
      repaired: `\`\`\`json\n${JSON.stringify(whole)}\n\`\`\``,
      overseen: JSON.stringify(untitled),
    };
    return said[wayOf(number)];
  };
}

async function isIdle({ broker }: Ground<AnswerFold>): Promise<boolean> {
  const reply = await broker.request('$JS.API.CONSUMER.INFO.THOUGHT.runner', new Uint8Array(), 5_000);
  const info = JSON.parse(new TextDecoder().decode(reply.bytes)) as { readonly num_pending: number; readonly num_ack_pending: number };
  return info.num_pending === 0 && info.num_ack_pending === 0;
}
