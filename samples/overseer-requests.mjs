// Prints what the runner asks its overseer about each recorded answer that an overseer may repair, one JSON object a line:
// what `generate.py run` answers. Needs a build (npm run build).
import { canonicalHash } from '@emend/contracts';
import { lines, throughRingOne } from './recorded.mjs';

/**
 * The overseer is the model of the same tier, so it is held to what the answer was held to. Where that was the shape of the contract,
 * it is the shape of the overseer's own answer.
 */
const settingsOf = { shape: 'shape-envelope' };

for (const answer of lines('answers.jsonl')) {
  const { asked } = await throughRingOne(answer);
  if (asked === null) continue;
  const request = {
    key: answer.id,
    note: answer.note,
    tier: 'overseer',
    settings: settingsOf[answer.settings] ?? answer.settings,
    promptHash: canonicalHash(asked),
    messages: asked,
  };
  process.stdout.write(`${JSON.stringify(request)}\n`);
}
