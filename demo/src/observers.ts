import { subjects } from '@emend/contracts';
import { noteKind, type RecordedAnswer, type Samples, sampleProducer } from './samples.js';

/** A standard declaration of the demo: one prompt under one setting of the model, for the notes that were answered so. */
export interface Observer {
  readonly id: string;
  /** The file of the prompt. */
  readonly prompt: string;
  /** The tier is the settings': one prompt of one note has an answer under each. */
  readonly tier: string;
  /** The subjects of its sources, exactly. */
  readonly subscriptions: readonly string[];
}

/** The declaration that an answer is of. */
export const observerId = ({ prompt, settings }: Pick<RecordedAnswer, 'prompt' | 'settings'>): string =>
  `field-note-observer.${prompt.replace(/\.md$/, '')}.${settings}`;

export const sourceSubject = (note: string): string => subjects.source({ kind: noteKind, producer: sampleProducer, capture: note });

/** One declaration for each pair of a prompt and settings that was answered. */
export function observersOf(answers: readonly RecordedAnswer[]): readonly Observer[] {
  const observers = new Map<string, Observer>();
  for (const { note, prompt, settings } of answers) {
    const id = observerId({ prompt, settings });
    const subscriptions = [...(observers.get(id)?.subscriptions ?? []), sourceSubject(note)];
    observers.set(id, { id, prompt, tier: settings, subscriptions });
  }
  return [...observers.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** What the runner plays: each answer and each repair under its tier, by the hash of its prompt. */
export function recordingLines({ answers, repairs }: Pick<Samples, 'answers' | 'repairs'>): readonly string[] {
  const tiers = new Map(answers.map(({ id, settings }) => [id, settings]));
  // The overseer is the model of the tier whose answer it repairs.
  const ofTiers = repairs.flatMap((repair) => ({ ...repair, tier: tiers.get(repair.id) })).filter(({ tier }) => tier !== undefined);
  return [...answers.map((answer) => ({ ...answer, tier: answer.settings })), ...ofTiers].map((line) => JSON.stringify(line));
}
