import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalHash, compileContract, eventIdOf, judgeCompletion, observation, subjects } from '@emend/contracts';
import { workspaceRoot } from '@emend/log/server';
import { renderRepairPrompt } from '@emend/repair-agent';

const contract = compileContract(observation);
const shipped = join(workspaceRoot(), 'deploy', 'declarations', 'agents', 'output-repair.md');

/** A failed answer to a note, and what the player is to say when it is to be repaired. */
export interface RepairPlay {
  /** Of the failed run's own declaration. */
  readonly repositoryPrompt: string;
  readonly note: { readonly producer: string; readonly capture: string; readonly text: string };
  readonly failed: { readonly text: string; readonly finishReason: string | null };
  readonly output: string;
  readonly finishReason?: string | null;
}

/** One line of a file of recordings: as if a model had answered the prompt that the shipped repair agent makes of this failure. */
export function repairRecording({ repositoryPrompt, note, failed, output, finishReason = 'stop' }: RepairPlay): string {
  const eventId = eventIdOf(subjects.source({ kind: 'note', producer: note.producer, capture: note.capture }));
  const judged = judgeCompletion(contract, failed, { sources: new Map([[eventId, note.text]]) }, []);
  if (judged.kind === 'valid') throw new Error('a valid answer has no repair');
  const messages = renderRepairPrompt({
    repositoryPrompt,
    contractPrompt: contract.promptDescription,
    instruction: readFileSync(shipped, 'utf8'),
    source: { eventId, text: note.text },
    issues: judged.diagnostic.issues,
  });
  return JSON.stringify({ tier: 'escalation', promptHash: canonicalHash(messages), model: 'large', output, finishReason });
}
