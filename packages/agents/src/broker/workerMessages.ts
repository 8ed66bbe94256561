import { z } from 'zod';
import { promptHashOf } from '../prompt.js';
import type { BrokerInput } from './brokerTable.js';

const messageSchema = z.strictObject({ role: z.enum(['system', 'user']), content: z.string() });

/** Strict: a member that would steer the model (another model, a temperature, a tool) makes the frame no message at all. */
const workerMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('hello') }),
  z.strictObject({ type: z.literal('generate'), messages: z.array(messageSchema) }),
  z.strictObject({ type: z.literal('result'), text: z.string() }),
]);

/** What the parent knows of its run, and a worker's words are compared with. */
export interface RunFacts {
  readonly promptHash: string;
  /** The text that the worker was given, or null before that. */
  readonly answer: string | null;
}

/** A worker's message as an input of the table. Texts end here: the table sees none. */
export function readWorkerMessage(message: unknown, { promptHash, answer }: RunFacts): BrokerInput {
  const read = workerMessageSchema.safeParse(message);
  if (!read.success) return 'unreadable';
  if (read.data.type === 'hello') return 'hello';
  if (read.data.type === 'generate') return hashes(read.data.messages, promptHash) ? 'generate' : 'generate_other';
  return read.data.text === answer ? 'result' : 'result_other';
}

function hashes(messages: Parameters<typeof promptHashOf>[0], promptHash: string): boolean {
  try {
    return promptHashOf(messages) === promptHash;
  } catch {
    // A lone surrogate has no canonical form, so it is not our prompt.
    return false;
  }
}
