// Prints the request that the repair agent would make for each recorded answer that may be repaired, one JSON object a line:
// what `generate.py run` answers with the escalation settings. Needs a build (npm run build).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalHash, eventIdOf, judgeCompletion, outputRepairPolicy, semanticRules, subjects } from '@emend/contracts';
import { renderRepairPrompt } from '../services/repair-agent/dist/domain/repairPrompt.js';
import { ruledOut } from '../services/runner/dist/domain/acceptance.js';
import { contract, lines, throughRingOne } from './recorded.mjs';

const folder = import.meta.dirname;
const instruction = readFileSync(join(folder, '..', 'deploy', 'declarations', 'agents', 'output-repair.md'), 'utf8');
/** Those of `emend ingest`. */
const ingestRules = [semanticRules.evidenceQuoteVerbatim];
const notes = new Map(lines('notes.jsonl').map(({ id, text }) => [id, text]));

for (const answer of lines('answers.jsonl')) {
  const text = notes.get(answer.note);
  const source = { eventId: eventIdOf(subjects.source({ kind: 'note', producer: 'field-notes', capture: answer.note })), text };
  const requests = new Map();
  for (const [key, diagnostic] of [
    [answer.id, asIngested(answer, source)],
    // Ring 1 may read what a strict parser does not, and then there are other issues to tell the repair agent of.
    [`${answer.id}.ring-1`, await asAnswered(answer, source)],
  ]) {
    if (diagnostic === null || !mayBeRepaired(diagnostic)) continue;
    const messages = renderRepairPrompt({
      repositoryPrompt: readFileSync(join(folder, 'prompts', answer.prompt), 'utf8'),
      contractPrompt: contract.promptDescription,
      instruction,
      source,
      issues: diagnostic.issues,
    });
    const promptHash = canonicalHash(messages);
    if (!requests.has(promptHash)) requests.set(promptHash, { key, promptHash, messages });
  }
  for (const { key, promptHash, messages } of requests.values()) {
    const request = {
      key,
      note: answer.note,
      tier: 'escalation',
      settings: 'escalation',
      promptHash,
      messages,
      sentences: sentencesOf(text),
    };
    process.stdout.write(`${JSON.stringify(request)}\n`);
  }
}

/** What is wrong with an answer that `emend ingest` makes a run of; null where nothing is. */
function asIngested({ output, finishReason }, { eventId, text }) {
  const context = { sources: new Map([[eventId, text]]) };
  const judged = judgeCompletion(contract, { text: output, finishReason }, context, ingestRules);
  return judged.kind === 'valid' ? null : judged.diagnostic;
}

/** The same for the runner, where no overseer repairs it. */
async function asAnswered(answer, { eventId, text }) {
  const { turn } = await throughRingOne(answer);
  return turn.kind === 'completed' ? ruledOut(contract, turn.text, { id: eventId, data: { text } }) : turn.diagnostic;
}

function mayBeRepaired({ class: kind, ruleId }) {
  return outputRepairPolicy.classes.includes(kind) && (ruleId === undefined || outputRepairPolicy.ruleIds.includes(ruleId));
}

/** What evidence may quote: the sentences of the note, each as it stands there. */
function sentencesOf(text) {
  return text.split(/(?<=[.!?]) +/).filter((sentence) => sentence !== '' && sentence.length <= 280);
}
