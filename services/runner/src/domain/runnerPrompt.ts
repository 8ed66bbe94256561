import type { ChatMessage } from '@emend/model/decisions';

/** The only facts a prompt of the runner is made of. */
export interface RunnerPromptFacts {
  /** The declaration's prompt, byte for byte. */
  readonly prompt: string;
  readonly contractPrompt: string;
  /** Never cut: a part of a source is another source. */
  readonly source: { readonly eventId: string; readonly text: string };
}

/** Renders the one prompt of a run. The same facts give the same bytes, so that its hash identifies a recorded answer. */
export const renderRunnerPrompt = ({ prompt, contractPrompt, source }: RunnerPromptFacts): readonly ChatMessage[] => [
  { role: 'system', content: `${prompt}\n\n${contractPrompt}` },
  { role: 'user', content: `Source ${source.eventId}:\n${source.text}` },
];
