import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventIdOf, subjects } from '@emend/contracts';
import { repairRecording } from '../support/repairRecording.js';

/** Answers as an ingest file has them, with times, so that two runs of the same data write the same bytes. */
export const fieldProducer = 'field';

export const captureOf = (number: number): string => `n${String(number).padStart(3, '0')}`;
export const textOf = (number: number): string => `Post ${number}: the gauge stood at ${number}.14 m.`;
const at = (number: number): string => new Date(Date.UTC(2026, 4, 1, 0, 0, number)).toISOString();

export const sourceEventId = (number: number): string =>
  eventIdOf(subjects.source({ kind: 'note', producer: fieldProducer, capture: captureOf(number) }));

/** A valid observation of a note. */
export const observationOf = (number: number, title: string) => ({
  title,
  summary: `The gauge stood at ${number}.14 m.`,
  tags: ['gauge'],
  confidence: 0.5,
  evidence: [{ eventId: sourceEventId(number), quote: `${number}.14 m` }],
});

/** Every third answer is valid; the others fail in ways that a policy repairs, and some in ways that none does. */
export function fieldLine(number: number): string {
  const [output, finish_reason] = answerOf(number);
  return JSON.stringify({
    id: `run-${number}`,
    source: { id: captureOf(number), text: textOf(number) },
    model: { provider: 'test', name: 'small' },
    output,
    finish_reason,
    time: at(number),
  });
}

function answerOf(number: number): readonly [string, string] {
  switch (number % 6) {
    case 0:
    case 3:
      return [JSON.stringify(observationOf(number, 'valid')), 'stop'];
    case 1:
    case 4:
      return [`{"title": broken ${number}}`, 'stop'];
    case 2:
      return ['{"title":"only a title"}', 'stop'];
    default:
      return ['{"title":"cut', 'length'];
  }
}

export const mayBeRepaired = (number: number): boolean => number % 6 === 1 || number % 6 === 2 || number % 6 === 4;

const observerPrompt = readFileSync(join(import.meta.dirname, 'declarations', 'agents', 'observer.md'), 'utf8');

/** What the player plays for the escalation tier. */
export function recording(number: number): string {
  const [text, finishReason] = answerOf(number);
  return repairRecording({
    repositoryPrompt: observerPrompt,
    note: { producer: fieldProducer, capture: captureOf(number), text: textOf(number) },
    failed: { text, finishReason },
    output: JSON.stringify(observationOf(number, 'repaired')),
  });
}
