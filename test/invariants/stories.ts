import { randomBytes } from 'node:crypto';
import { eventIdOf, subjects } from '@emend/contracts';
import { sourceTextOf } from '../journeys/canaryStage.js';
import type { Told } from './ringProvider.js';

export const producer = 'notes';
export const captureOf = (note: number): string => `n${note}`;

/** Calls of each asker for one note. */
export interface CallsExpected {
  readonly primary: number;
  readonly overseer: number;
  readonly repair: number;
}

/** One way through rings 1 and 3. */
export interface Story extends Told {
  readonly name: string;
  readonly text: string;
  /** The end of its run: how the output came to be valid, or the class of its failure. */
  readonly ends: string;
  /** What ring 3 made of it; null where it was not asked. */
  readonly settles: 'proposed' | 'failed' | null;
  readonly calls: CallsExpected;
}

const valid = (note: number) => ({
  title: `Gauge ${note}`,
  summary: 'It stood.',
  tags: ['gauge'],
  confidence: 1,
  evidence: [{ eventId: sourceIdOf(note), quote: '2.14 m' }],
});
const sourceIdOf = (note: number): string => eventIdOf(subjects.source({ kind: 'note', producer, capture: captureOf(note) }));

/** Every way through both rings, each with a secret in all that was malformed. Made anew, so that no secret stands in a file. */
export function everyStory(): readonly Story[] {
  const once = (calls: Partial<CallsExpected> = {}): CallsExpected => ({ primary: 1, overseer: 0, repair: 0, ...calls });
  const ways: readonly ((note: number, secret: string) => Omit<Story, 'sourceId' | 'secret' | 'text'>)[] = [
    (note) => ({
      name: 'valid as written',
      says: { primary: { text: JSON.stringify(valid(note)) } },
      ends: 'exact',
      settles: null,
      calls: once(),
    }),
    (note, secret) => ({
      name: 'repaired by the decoder',
      says: { primary: { text: `I thought of ${secret}.\n\`\`\`json\n${JSON.stringify(valid(note))}\n\`\`\`` } },
      ends: 'repaired',
      settles: null,
      calls: once(),
    }),
    (note, secret) => ({
      name: 'repaired by the overseer',
      says: {
        primary: { text: JSON.stringify({ ...valid(note), [secret]: secret }) },
        overseer: { text: JSON.stringify({ repaired_arguments: valid(note) }) },
      },
      ends: 'overseen',
      settles: null,
      calls: once({ overseer: 1 }),
    }),
    (note, secret) => ({
      name: 'lost on the overseer, proposed after the run',
      says: {
        primary: { text: `{"title":"${secret}","${secret}":["${secret}"]}` },
        overseer: { text: `Sorry, ${secret}.` },
        repair: { text: JSON.stringify(valid(note)) },
      },
      ends: 'contract_violation',
      settles: 'proposed',
      calls: once({ overseer: 1, repair: 1 }),
    }),
    (_note, secret) => ({
      name: 'malformed three times over',
      says: {
        primary: { text: `The gauge stood, says ${secret}.` },
        overseer: { text: JSON.stringify({ repaired_arguments: { title: secret } }) },
        repair: { text: `{"title":"${secret}"}` },
      },
      ends: 'invalid_json',
      settles: 'failed',
      calls: once({ overseer: 1, repair: 1 }),
    }),
    (_note, secret) => ({
      name: 'cut short, which nothing repairs',
      says: { primary: { text: `{"title":"${secret}`, finish: 'length' } },
      ends: 'truncated',
      settles: null,
      calls: once(),
    }),
    (_note, secret) => ({
      name: 'refused, which nothing repairs',
      says: { primary: { text: `I cannot answer this. ${secret}` } },
      ends: 'refused',
      settles: null,
      calls: once(),
    }),
    (note, secret) => ({
      name: 'an overseer that the provider fails',
      says: { primary: { text: `{"title":"${secret}"}` }, repair: { text: JSON.stringify(valid(note)) } },
      ends: 'contract_violation',
      settles: 'proposed',
      calls: once({ overseer: 1, repair: 1 }),
    }),
  ];
  return ways.map((way, note) => {
    const secret = `secret${randomBytes(12).toString('hex')}`;
    return { ...way(note, secret), sourceId: sourceIdOf(note), secret, text: sourceTextOf(note) };
  });
}
