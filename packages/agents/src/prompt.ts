import { canonicalHash } from '@emend/contracts';

/** One message of a prompt. */
export interface PromptMessage {
  readonly role: 'system' | 'user';
  readonly content: string;
}

/** A whole prompt: what the system says, and the one thing that is asked. Both the parent and the worker render it to messages. */
export type PromptMessages = readonly PromptMessage[];

/** SHA-256 over the canonical bytes: the same function that names a prompt in the log. */
export const promptHashOf = (messages: PromptMessages): string => canonicalHash(messages);
