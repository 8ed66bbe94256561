import { hashTokenSchema, keyTokenSchema, placeOf, subjects, transcriptKind } from '@emend/contracts';

/** What a person names: a source, or a run that corrected one. */
export type NamedTranscript =
  | { readonly kind: 'source'; readonly place: string }
  | { readonly kind: 'run'; readonly producer: string; readonly run: string };

/**
 * The place of a source, `PRODUCER/REF` as it was submitted, the place of a run or of a corrected transcript, or a run’s id.
 * Null for everything else.
 */
export function namedTranscript(text: string, service: string): NamedTranscript | null {
  const read = placeOf(text);
  if (read?.place === 'source') return text.startsWith(sourcesOfTranscripts) ? { kind: 'source', place: text } : null;
  if (read !== null) return placesOfRuns.includes(read.place) ? runOf(read.key) : null;
  if (hashTokenSchema.safeParse(text).success) return { kind: 'run', producer: service, run: text };
  const [producer, capture, ...more] = text.split('/');
  const isName = more.length === 0 && [producer, capture].every((part) => keyTokenSchema.safeParse(part).success);
  return isName
    ? { kind: 'source', place: subjects.source({ kind: transcriptKind, producer: producer ?? '', capture: capture ?? '' }) }
    : null;
}

const sourcesOfTranscripts = subjects.source({ kind: transcriptKind, producer: '', capture: '' }).slice(0, -1);
const placesOfRuns: readonly string[] = ['runStarted', 'runEnded', 'transcriptCorrected'];
const runOf = ([producer = '', run = '']: readonly string[]): NamedTranscript => ({ kind: 'run', producer, run });
