import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import { readDeclarations } from '@emend/cli';
import type { Producer, Run } from '@emend/client';
import { compileContract, observation, outputRepairPolicy, policyIdentityOf, policyTokenOf, subjects } from '@emend/contracts';
import { type Broker, parseDefinitions } from '@emend/log';
import { workspaceRoot } from '@emend/log/server';
import { vi } from 'vitest';
import { agentDeclaration, provenance } from '../support/history.js';

/** What the searches for planted secrets have in common: a log that is declared, runs, and everything that can be read afterwards. */
export const agent = agentDeclaration(compileContract(observation));
const pointBoundMs = 50_000;

/** What the source of a run says. */
export const sourceTextOf = (index: number): string => `Post ${index}: the gauge stood at 2.14 m.`;

export function smallDefinitions() {
  const shipped = parseDefinitions(JSON.parse(readFileSync(path.join(workspaceRoot(), 'deploy/jetstream.json'), 'utf8')));
  const bytes = 64 * 1024 * 1024;
  return {
    ...shipped,
    streams: shipped.streams.map((stream) => ({ ...stream, maxBytes: bytes })),
    buckets: shipped.buckets.map((bucket) => ({ ...bucket, maxBytes: bytes })),
  };
}

export async function declareAll(producer: Producer): Promise<void> {
  const shipped = await readDeclarations([path.join(workspaceRoot(), 'deploy/declarations')]);
  for (const contract of shipped.contracts) await producer.declareContract(contract);
  for (const written of [...shipped.agents, agent]) await producer.declareAgent(written);
  for (const policy of shipped.policies) await producer.declarePolicy(policy);
}

export async function startRun(producer: Producer, index: number): Promise<Run> {
  const { event } = await producer.capture({
    kind: 'note',
    capture: `n${index}`,
    text: sourceTextOf(index),
    privacy: 'public',
    sourceClass: 'public-source',
  });
  return producer.start({ reference: `run-${index}`, agent, trigger: event.subject, model: provenance() });
}

export const placeOf = (run: Run) => ({ run: run.id, policy: policyTokenOf(policyIdentityOf(outputRepairPolicy)) });
export const settlementOf = (run: Run): string => subjects.correction(placeOf(run));

/** What is published beside the log: facts, incidents, traces. */
export function listen(broker: Broker) {
  const ending = new AbortController();
  const heard: string[] = [];
  const follow = async (pattern: string): Promise<void> => {
    for await (const { subject, bytes } of broker.follow(pattern, ending.signal))
      heard.push(`${subject} ${new TextDecoder().decode(bytes)}`);
  };
  for (const pattern of ['fact.>', 'incident.>', 'trace.>']) void follow(pattern);
  return { text: () => heard.join('\n'), end: () => ending.abort() };
}

export async function eventsAsText(broker: Broker): Promise<string> {
  const texts: string[] = [];
  for await (const { subject, bytes, headers } of broker.log.read({ from: 1, to: await broker.log.lastSequence() }))
    texts.push(`${subject} ${JSON.stringify(headers)} ${new TextDecoder().decode(bytes)}`);
  return texts.join('\n');
}

/** Errors as a careless program would print them. */
export const errorsAsText = (errors: readonly unknown[]): string =>
  errors.map((error) => `${String(error)} ${inspect(error, { depth: 20, showHidden: true })}`).join('\n');

export function filesUnder(root: string): string {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return names
    .flatMap((name) => (statSync(path.join(root, name)).isFile() ? [name, readFileSync(path.join(root, name), 'utf8')] : []))
    .join('\n');
}

/** Waits for a point, however long the machine takes; the bound only turns a hang into a failure. */
export function reached(what: string, condition: () => Promise<boolean>): Promise<void> {
  return vi.waitFor(
    async () => {
      if (!(await condition().catch(() => false))) throw new Error(`not reached: ${what}`);
    },
    { timeout: pointBoundMs, interval: 25 },
  );
}
