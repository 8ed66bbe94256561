import { commonConfig, flag, setting, wholeNumber } from '@emend/runtime';
import { z } from 'zod';

/** What one `serve` of the log handles at once. */
const slotsMax = 64;
/** A command, its waits and its append fit into the ten seconds for which a caller waits. */
const referenceWaitMax = 4_000;
const rememberedMax = 100_000;

export const judgmentsConfig = {
  ...commonConfig,
  queue: setting({
    name: 'EMEND_JUDGMENTS_QUEUE',
    type: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/)
      .describe('letters, digits, `_` and `-`'),
    default: 'judgments',
    description: 'Instances with one queue name share the requests.',
  }),
  slots: setting({
    name: 'EMEND_JUDGMENTS_SLOTS',
    type: wholeNumber({ min: 1, max: slotsMax }),
    default: 16,
    description: 'Commands in hand at once.',
  }),
  referenceWaitMs: setting({
    name: 'EMEND_JUDGMENTS_REFERENCE_WAIT_MS',
    type: wholeNumber({ min: 0, max: referenceWaitMax }),
    default: 2_000,
    description: 'How long a command waits for what it names and is not found, in milliseconds.',
  }),
  remembered: setting({
    name: 'EMEND_JUDGMENTS_REMEMBERED',
    type: wholeNumber({ min: slotsMax, max: rememberedMax }),
    default: 1_000,
    description: 'Events kept in memory by place, at most 64 KiB each.',
  }),
  serviceApi: setting({
    name: 'EMEND_JUDGMENTS_SERVICE_API',
    type: flag(),
    default: true,
    description: 'Whether `$SRV` discovery requests are answered; that needs the permission to subscribe to `$SRV.>`.',
  }),
} as const;
