import type { Issue } from '@emend/contracts';
import type { ChatMessage } from '@emend/model/decisions';
import { issueLines } from '@emend/runs/decisions';

/** The only facts a repair prompt is made of (T67 to T75). There is no field that could hold the malformed text. */
export interface RepairPromptFacts {
  /** The prompt of the failed run's own declaration, byte for byte (T68). */
  readonly repositoryPrompt: string;
  readonly contractPrompt: string;
  /** The prompt of the repair agent's own declaration: what it is to do about a failed run. */
  readonly instruction: string;
  readonly source: { readonly eventId: string; readonly text: string };
  /** Sanitized: codes and paths, never values (T75). */
  readonly issues: readonly Issue[];
}

/**
 * Renders the one prompt of a repair run: fresh generation from the original evidence (T83).
 * The same facts give the same bytes, so that the prompt's hash identifies a recorded generation.
 */
export function renderRepairPrompt(facts: RepairPromptFacts): readonly ChatMessage[] {
  const { repositoryPrompt, contractPrompt, source } = facts;
  return [
    { role: 'system', content: `${repositoryPrompt}\n\n${contractPrompt}` },
    {
      role: 'user',
      content: [`Source ${source.eventId}:`, source.text, '', ...earlierFailure(facts.issues), facts.instruction].join('\n'),
    },
  ];
}

function earlierFailure(issues: readonly Issue[]): readonly string[] {
  if (issues.length === 0) return [];
  return ['An earlier answer to this source was refused for:', ...issueLines(issues)];
}
