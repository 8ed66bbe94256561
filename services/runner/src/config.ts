import type { NestedNamespaces } from '@emend/agents';
import { commonConfig, flag, oneLine, oneOf, setting, wholeNumber } from '@emend/runtime';
import { z } from 'zod';

/** The sum over all replicas must not pass `maxAckPending` of the durable. */
const slotsMax = 32;
const attemptsMax = 10;
const retriesMax = 3;
const agentsMax = 32;
const dayMs = 86_400_000;

const nestedNamespaces = ['disabled', 'filtered'] as const satisfies readonly NestedNamespaces[];
const sequence = () =>
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number);
const named = /^[A-Za-z0-9_.-]{1,128}@[1-9]\d{0,5}$/;

export const runnerConfig = {
  ...commonConfig,
  agents: setting({
    name: 'EMEND_RUNNER_AGENTS',
    type: z
      .string()
      .transform((text) => text.split(','))
      .pipe(z.array(z.string().regex(named)).max(agentsMax))
      .refine((names) => new Set(names).size === names.length)
      .optional()
      .describe('up to 32 different `id@version`, separated by commas'),
    description: 'The standard declarations in the log that run. Without one the service loads, is healthy and consumes nothing.',
  }),
  catalogueFile: setting({
    name: 'EMEND_MODEL_CATALOGUE_FILE',
    type: z.string().min(1).optional().describe('path of a YAML file'),
    description: 'The catalogue of models: one for the tier of each declaration.',
  }),
  escalationModel: setting({
    name: 'THOUGHTSTREAM_TINKER_ESCALATION_MODEL',
    type: z.string().optional().describe('a model id, a `tinker://` path of weights, or both joined by `;`'),
    description: 'The model of the escalation tier, where the catalogue has one.',
  }),
  producer: setting({
    name: 'EMEND_RUNNER_PRODUCER',
    type: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/)
      .describe('letters, digits, `_` and `-`'),
    default: 'runner',
    description: 'The name that runs are signed with. Another name answers every source again.',
  }),
  attemptsMax: setting({
    name: 'EMEND_RUNNER_ATTEMPTS_MAX',
    type: wholeNumber({ min: 1, max: attemptsMax }),
    default: 2,
    description: 'Attempts to answer one source by one declaration: a further one only where the last was abandoned.',
  }),
  retries: setting({
    name: 'EMEND_RUNNER_RETRIES',
    type: wholeNumber({ min: 0, max: retriesMax }),
    default: 1,
    description: 'Further invocations of a first attempt whose output is refused, each with at most one overseer call of its own.',
  }),
  startSequence: setting({
    name: 'EMEND_RUNNER_START_SEQUENCE',
    type: z.union([z.literal('now'), sequence()]).describe('`now` or a sequence of the log'),
    default: 0,
    description: 'Sources before it are skipped and left as they are. `now` is the end of the log at each start.',
  }),
  outputRepair: setting({
    name: 'EMEND_RUNNER_OUTPUT_REPAIR',
    type: flag(),
    default: true,
    description: 'Ring 1: the tolerant decoder and at most one overseer call. `false` leaves the strict judge of the contract.',
  }),
  outputRepairModel: setting({
    name: 'EMEND_RUNNER_OUTPUT_REPAIR_MODEL',
    type: z.string().max(128).optional().describe('a model of the same provider'),
    description: 'The model that repairs; without it the one that wrote the output.',
  }),
  durable: setting({ name: 'EMEND_RUNNER_DURABLE', type: oneLine(), default: 'runner', description: 'Durable consumer to bind to.' }),
  slots: setting({
    name: 'EMEND_RUNNER_SLOTS',
    type: wholeNumber({ min: 1, max: slotsMax }),
    default: 1,
    description: 'Sources in hand at once, and messages taken ahead: none beyond them.',
  }),
  heartbeatMs: setting({
    name: 'EMEND_RUNNER_HEARTBEAT_MS',
    type: wholeNumber({ min: 50, max: 60_000 }),
    default: 10_000,
    description: 'How often a source in hand is said to be in work; well below the ack wait of the durable.',
  }),
  waitMaxMs: setting({
    name: 'EMEND_RUNNER_WAIT_MAX_MS',
    type: wholeNumber({ min: 0, max: dayMs }),
    default: 7_200_000,
    description: 'How long a source waits in hand for a provider that proves not to have generated.',
  }),
  nestedNamespaces: setting({
    name: 'EMEND_SANDBOX_NESTED_NAMESPACES',
    type: oneOf(nestedNamespaces),
    default: 'disabled',
    description:
      '`filtered` where /proc/sys is read-only, as in a container: the worker’s own filter alone then refuses namespaces within.',
  }),
} as const;
