import type { RefusedFor } from '@emend/contracts';
import type { ChatMessage } from '@emend/model/decisions';
import { issueLines } from '@emend/runs/decisions';

/** The only facts a prompt of the runner is made of. */
export interface RunnerPromptFacts {
  /** The declaration's prompt, byte for byte. */
  readonly prompt: string;
  readonly contractPrompt: string;
  /** Never cut: a part of a source is another source. */
  readonly source: { readonly eventId: string; readonly text: string };
  /** Of the invocation before, under the same claim. It has no field that could hold the refused text. */
  readonly refused?: RefusedFor | undefined;
}

/** Renders the prompt of one invocation. The same facts give the same bytes, so that its hash identifies a recorded answer. */
export const renderRunnerPrompt = ({ prompt, contractPrompt, source, refused }: RunnerPromptFacts): readonly ChatMessage[] => [
  { role: 'system', content: `${prompt}\n\n${contractPrompt}` },
  { role: 'user', content: [`Source ${source.eventId}:`, source.text, ...(refused === undefined ? [] : refusal(refused))].join('\n') },
];

/** Class, rule, codes, paths and a count, and so never a word of the refused answer. */
function refusal({ class: kind, ruleId, issues, issueCount }: RefusedFor): readonly string[] {
  const more = issueCount - issues.length;
  return [
    '',
    `An earlier answer to this source was refused (${kind}):`,
    ...(ruleId === undefined ? [] : [`- rule ${ruleId}`]),
    ...issueLines(issues),
    ...(more > 0 ? [`- and ${more} more`] : []),
    'Answer again, whole.',
  ];
}
