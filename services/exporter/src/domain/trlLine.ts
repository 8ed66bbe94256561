import type { TrainingFile } from './trainingRow.js';

/** What a loader would stumble over, as codes. */
export type LineFault =
  | 'not_json'
  | 'not_an_object'
  | 'blank'
  | 'column_missing'
  | 'column_not_text'
  | 'columns_differ'
  | 'messages_not_a_list'
  | 'role_wrong'
  | 'content_not_text'
  | 'content_has_outer_space'
  | 'prompt_does_not_end_with_user'
  | 'not_one_answer'
  | 'sides_equal'
  | 'prompt_doubled';

interface Message {
  readonly role: string;
  readonly content: string;
}

/** The columns of each file that hold messages; every other is text. The answers come after the prompt. */
const answerColumns: Readonly<Record<TrainingFile, readonly string[]>> = {
  'pairs.jsonl': ['chosen', 'rejected'],
  'sft.jsonl': ['completion'],
};

/**
 * Reads one line as TRL's conversational loader would, and stricter: what that loads and trains wrongly is a fault here.
 * `columns` are those of the first line, since the loader fixes names and types over all rows.
 */
export function lineFaults(file: TrainingFile, line: string, columns?: readonly string[]): readonly LineFault[] {
  if (line.trim() === '') return ['blank'];
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch {
    return ['not_json'];
  }
  if (!isRecord(row)) return ['not_an_object'];
  const answers = answerColumns[file];
  const faults: LineFault[] = [];
  const found = columnsOf(row);
  if (columns !== undefined && found.join() !== columns.join()) faults.push('columns_differ');
  if (!['prompt', ...answers].every((name) => Object.hasOwn(row, name))) return [...faults, 'column_missing'];
  const texts = Object.entries(row).filter(([name]) => name !== 'prompt' && !answers.includes(name));
  if (!texts.every(([, value]) => typeof value === 'string')) faults.push('column_not_text');
  return [
    ...faults,
    ...conversationFaults(
      row['prompt'],
      answers.map((name) => row[name]),
    ),
  ];
}

/** The columns of a line, sorted: what the following lines are compared with. */
export const columnsOfLine = (line: string): readonly string[] => columnsOf(JSON.parse(line) as Record<string, unknown>);

/** Every line of a file with its number, from 1, and its faults. A file of no rows is empty. */
export function fileFaults(file: TrainingFile, text: string): readonly { readonly line: number; readonly faults: readonly LineFault[] }[] {
  if (text === '') return [];
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  const first = lines[0];
  const columns = first !== undefined && lineFaults(file, first).length === 0 ? columnsOfLine(first) : undefined;
  return lines
    .map((line, index) => ({ line: index + 1, faults: lineFaults(file, line, columns) }))
    .filter(({ faults }) => faults.length > 0);
}

function conversationFaults(prompt: unknown, answers: readonly unknown[]): readonly LineFault[] {
  const all = [prompt, ...answers];
  if (!all.every(isMessages)) return [all.every((one) => Array.isArray(one)) ? 'content_not_text' : 'messages_not_a_list'];
  const [asked = [], ...given] = all as readonly (readonly Message[])[];
  const faults: LineFault[] = [];
  if (asked.at(-1)?.role !== 'user') faults.push('prompt_does_not_end_with_user');
  if (!asked.every(({ role }, index) => role === 'user' || (role === 'system' && index === 0))) faults.push('role_wrong');
  if (!given.every((side) => side.length === 1)) faults.push('not_one_answer');
  if (!given.flat().every(({ role }) => role === 'assistant')) faults.push('role_wrong');
  const answersGiven = given.flat().map(({ content }) => content);
  if (answersGiven.some((content) => content.trim() !== content || content === '')) faults.push('content_has_outer_space');
  if (new Set(answersGiven).size !== answersGiven.length) faults.push('sides_equal');
  if (asked.some(({ content }) => answersGiven.some((answer) => answer.startsWith(content)))) faults.push('prompt_doubled');
  return [...new Set(faults)];
}

const columnsOf = (row: Readonly<Record<string, unknown>>): readonly string[] => Object.keys(row).sort();

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isMessages = (value: unknown): value is readonly Message[] =>
  Array.isArray(value) &&
  value.every(
    (one) => isRecord(one) && Object.keys(one).length === 2 && typeof one['role'] === 'string' && typeof one['content'] === 'string',
  );
