import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One recorded answer, as `samples/answers.jsonl` keeps it. */
export interface RecordedAnswer {
  readonly id: string;
  /** The note's id. */
  readonly note: string;
  /** The file of the prompt. */
  readonly prompt: string;
  readonly promptHash: string;
  /** What the model was held to. */
  readonly settings: string;
  readonly model: string;
  readonly output: string;
  readonly finishReason: string;
}

/** What the same model answered as overseer, about the answer of the same id. */
export type RecordedRepair = Omit<RecordedAnswer, 'prompt'>;

export interface Note {
  readonly id: string;
  readonly text: string;
}

/** What a small model was asked, and what it really answered. */
export interface Samples {
  readonly notes: readonly Note[];
  readonly answers: readonly RecordedAnswer[];
  readonly repairs: readonly RecordedRepair[];
}

/** The notes are this producer's. */
export const sampleProducer = 'field-notes';
export const noteKind = 'note';

export async function readSamples(folder: string): Promise<Samples> {
  const [notes, answers, repairs] = await Promise.all([
    readLines<Note>(join(folder, 'notes.jsonl')),
    readLines<RecordedAnswer>(join(folder, 'answers.jsonl')),
    readLines<RecordedRepair>(join(folder, 'overseer.jsonl')),
  ]);
  return { notes, answers, repairs };
}

/** Joins the notes and what the model really answered to the file that `emend ingest` takes. */
export function ingestLinesOf({ notes, answers }: Pick<Samples, 'notes' | 'answers'>): readonly string[] {
  const texts = new Map(notes.map(({ id, text }) => [id, text]));
  return answers.map((answer) =>
    JSON.stringify({
      id: answer.id,
      source: { id: answer.note, kind: noteKind, text: texts.get(answer.note) ?? '' },
      model: { provider: 'llama.cpp', name: answer.model },
      output: answer.output,
      finish_reason: answer.finishReason,
      agent: `field-note-observer.${answer.prompt.replace(/\.md$/, '')}@1`,
      prompt_hash: answer.promptHash,
    }),
  );
}

export const ingestLines = async (folder: string): Promise<readonly string[]> => ingestLinesOf(await readSamples(folder));

export const writeLines = (file: string, lines: readonly string[]): Promise<void> =>
  writeFile(file, lines.map((line) => `${line}\n`).join(''));

async function readLines<Line>(file: string): Promise<readonly Line[]> {
  const text = await readFile(file, 'utf8');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Line);
}
