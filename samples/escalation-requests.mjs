// Prints the request that the repair agent would make for each recorded answer that may be repaired, one JSON object a line:
// what `generate.py run` answers with the escalation settings. Needs a build (npm run build).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  canonicalHash,
  compileContract,
  eventIdOf,
  judgeCompletion,
  observation,
  outputRepairPolicy,
  semanticRules,
  subjects,
} from '@emend/contracts';
import { renderRepairPrompt } from '../services/repair-agent/dist/domain/repairPrompt.js';

const folder = import.meta.dirname;
const lines = (name) =>
  readFileSync(join(folder, name), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));

const contract = compileContract(observation);
const instruction = readFileSync(join(folder, '..', 'deploy', 'declarations', 'agents', 'output-repair.md'), 'utf8');
/** Those of `emend ingest`. */
const ingestRules = [semanticRules.evidenceQuoteVerbatim];
const notes = new Map(lines('notes.jsonl').map(({ id, text }) => [id, text]));

for (const answer of lines('answers.jsonl')) {
  const text = notes.get(answer.note);
  const eventId = eventIdOf(subjects.source({ kind: 'note', producer: 'field-notes', capture: answer.note }));
  const judged = judgeCompletion(
    contract,
    { text: answer.output, finishReason: answer.finishReason },
    { sources: new Map([[eventId, text]]) },
    ingestRules,
  );
  if (judged.kind === 'valid' || !mayBeRepaired(judged.diagnostic)) continue;
  const messages = renderRepairPrompt({
    repositoryPrompt: readFileSync(join(folder, 'prompts', answer.prompt), 'utf8'),
    contractPrompt: contract.promptDescription,
    instruction,
    source: { eventId, text },
    issues: judged.diagnostic.issues,
  });
  const request = {
    key: answer.id,
    note: answer.note,
    tier: 'escalation',
    settings: 'escalation',
    promptHash: canonicalHash(messages),
    messages,
    sentences: sentencesOf(text),
  };
  process.stdout.write(`${JSON.stringify(request)}\n`);
}

function mayBeRepaired({ class: kind, ruleId }) {
  return outputRepairPolicy.classes.includes(kind) && (ruleId === undefined || outputRepairPolicy.ruleIds.includes(ruleId));
}

/** What evidence may quote: the sentences of the note, each as it stands there. */
function sentencesOf(text) {
  return text.split(/(?<=[.!?]) +/).filter((sentence) => sentence !== '' && sentence.length <= 280);
}
