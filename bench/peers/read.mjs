import { jsonrepair } from 'jsonrepair';
import { parsePartialJson } from 'ai';
import { parse } from 'partial-json';

/** How each library reads a text. It throws where it gives no value. */
export const peers = {
  jsonrepair: (text) => JSON.parse(jsonrepair(text)),
  'partial-json': (text) => parse(text),
  'AI SDK parsePartialJson': async (text) => (await parsePartialJson(text)).value,
};

// As a child process it answers batches of texts, so that a test runner's own module resolution does not come between.
process.on('message', async (texts) => {
  const answers = [];
  for (const text of texts) {
    const answer = {};
    for (const [name, read] of Object.entries(peers)) {
      try {
        answer[name] = await read(text);
      } catch {
        answer[name] = undefined;
      }
    }
    answers.push(answer);
  }
  process.send(answers);
});
