import type { AssistantMessage, Context, Message, Model, StopReason } from '@earendil-works/pi-ai';
import type { PromptMessage, PromptMessages } from '../prompt.js';

/** Pi wants a model to name; the parent alone knows which one answers. */
export const brokeredModel: Model<'brokered'> = {
  id: 'brokered',
  name: 'brokered',
  api: 'brokered',
  provider: 'brokered',
  baseUrl: '',
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 0,
  maxTokens: 0,
};

/** The prompt of a run as Pi starts from it: what the system says, and the one text that is asked. Null where it is another shape. */
export function readPrompt(messages: PromptMessages): { readonly system: string; readonly user: string } | null {
  const [system, user, ...rest] = messages;
  if (system?.role !== 'system' || user?.role !== 'user' || rest.length > 0) return null;
  return { system: system.content, user: user.content };
}

/** What Pi is about to ask, as the messages of our prompt. Pi adds nothing to them, and the parent's hash would notice. */
export function renderContext({ systemPrompt = '', messages }: Context): PromptMessages {
  return [{ role: 'system', content: systemPrompt }, ...messages.flatMap(rendered)];
}

function rendered(message: Message): readonly PromptMessage[] {
  if (message.role !== 'user') return [];
  const { content } = message;
  const text = typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return [{ role: 'user', content: text }];
}

/** An answer as Pi keeps it: text alone, never a tool call, since an answer to a tool call would be a second generation. */
export function assistantMessage(text: string, stopReason: Extract<StopReason, 'stop' | 'error'>): AssistantMessage {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return {
    role: 'assistant',
    content: [{ type: 'text', text }],
    api: brokeredModel.api,
    provider: brokeredModel.provider,
    model: brokeredModel.id,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost },
    stopReason,
    ...(stopReason === 'error' ? { errorMessage: 'refused' } : {}),
    timestamp: 0,
  };
}

/** The text of the last answer, or null where the run ended without one. */
export function answerText(message: { readonly role: string } | undefined): string | null {
  if (message?.role !== 'assistant') return null;
  const { content, stopReason } = message as AssistantMessage;
  if (stopReason !== 'stop') return null;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
