import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One recorded answer, as `samples/answers.jsonl` keeps it. */
interface RecordedAnswer {
  readonly id: string;
  readonly note: string;
  readonly prompt: string;
  readonly promptHash: string;
  readonly model: string;
  readonly output: string;
  readonly finishReason: string;
}

interface Note {
  readonly id: string;
  readonly text: string;
}

/** The runs of the demo are this producer's. */
export const sampleProducer = 'field-notes';

/** Joins the notes and what the model really answered to the file that `emend ingest` takes. */
export async function ingestLines(samples: string): Promise<readonly string[]> {
  const notes = new Map((await readLines<Note>(join(samples, 'notes.jsonl'))).map((note) => [note.id, note.text]));
  const answers = await readLines<RecordedAnswer>(join(samples, 'answers.jsonl'));
  return answers.map((answer) =>
    JSON.stringify({
      id: answer.id,
      source: { id: answer.note, kind: 'note', text: notes.get(answer.note) ?? '' },
      model: { provider: 'llama.cpp', name: answer.model },
      output: answer.output,
      finish_reason: answer.finishReason,
      agent: `field-note-observer.${answer.prompt.replace(/\.md$/, '')}@1`,
      prompt_hash: answer.promptHash,
    }),
  );
}

export const writeLines = (file: string, lines: readonly string[]): Promise<void> =>
  writeFile(file, lines.map((line) => `${line}\n`).join(''));

async function readLines<Line>(file: string): Promise<readonly Line[]> {
  const text = await readFile(file, 'utf8');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Line);
}
