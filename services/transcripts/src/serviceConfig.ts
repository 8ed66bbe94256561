import { commonConfig, flag, oneLine, setting, wholeNumber } from '@emend/runtime';
import { z } from 'zod';
import { transcriptsConfig } from './config.js';

/** The sum over all replicas must not pass `maxAckPending` of the durable. */
const slotsMax = 32;
const attemptsMax = 10;

const sequence = () =>
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number);

/** What `serve` reads beside the settings of a correction. */
export const servingConfig = {
  enabled: setting({
    name: 'EMEND_TRANSCRIPTS_ENABLED',
    type: flag(),
    default: false,
    description: 'Whether transcripts of the log are corrected. Without it the service loads, is healthy and consumes nothing.',
  }),
  agent: setting({
    name: 'EMEND_TRANSCRIPTS_AGENT',
    type: z
      .string()
      .regex(/^[A-Za-z0-9_.-]{1,128}@[1-9]\d{0,5}$/)
      .describe('`id@version`'),
    default: 'transcript-correction@1',
    description: 'The declaration in the log that runs are made from.',
  }),
  producer: setting({
    name: 'EMEND_TRANSCRIPTS_PRODUCER',
    type: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/)
      .describe('letters, digits, `_` and `-`'),
    default: 'transcripts',
    description: 'The name that runs are signed with. Another name corrects every transcript again.',
  }),
  attemptsMax: setting({
    name: 'EMEND_TRANSCRIPTS_ATTEMPTS_MAX',
    type: wholeNumber({ min: 1, max: attemptsMax }),
    default: 3,
    description: 'Attempts to correct one transcript: a further one only where the last was given up, by a stop or a kill.',
  }),
  startSequence: setting({
    name: 'EMEND_TRANSCRIPTS_START_SEQUENCE',
    type: z.union([z.literal('now'), sequence()]).describe('`now` or a sequence of the log'),
    default: 0,
    description: 'Transcripts before it are skipped and left as they are. `now` is the end of the log at each start.',
  }),
  durable: setting({
    name: 'EMEND_TRANSCRIPTS_DURABLE',
    type: oneLine(),
    default: 'transcripts',
    description: 'Durable consumer to bind to.',
  }),
  slots: setting({
    name: 'EMEND_TRANSCRIPTS_SLOTS',
    type: wholeNumber({ min: 1, max: slotsMax }),
    default: 1,
    description: 'Transcripts in hand at once. They share the admission of the model.',
  }),
  heartbeatMs: setting({
    name: 'EMEND_TRANSCRIPTS_HEARTBEAT_MS',
    type: wholeNumber({ min: 50, max: 60_000 }),
    default: 10_000,
    description: 'How often a transcript in hand is said to be in work; well below the ack wait of the durable.',
  }),
} as const;

export const serviceConfig = { ...commonConfig, ...servingConfig, ...transcriptsConfig } as const;
