import type { NestedNamespaces } from '@emend/agents';
import { isBaseUrl, structuredOutputs } from '@emend/model';
import { commonConfig, flag, oneLine, oneOf, setting, wholeNumber } from '@emend/runtime';
import { z } from 'zod';

/** The sum over all replicas must not pass `maxAckPending` of the durable. */
const slotsMax = 32;
const sequenceMax = Number.MAX_SAFE_INTEGER;
const dayMs = 86_400_000;

const nestedNamespaces = ['disabled', 'filtered'] as const satisfies readonly NestedNamespaces[];

const sequence = () =>
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.number().max(sequenceMax));

export const repairAgentConfig = {
  ...commonConfig,
  enabled: setting({
    name: 'EMEND_REPAIR_ENABLED',
    type: flag(),
    default: false,
    description: 'The host’s decision to repair. Without it the service loads, is healthy and consumes nothing.',
  }),
  escalationModel: setting({
    name: 'THOUGHTSTREAM_TINKER_ESCALATION_MODEL',
    type: z.string().optional().describe('a model id, a `tinker://` path of weights, or both joined by `;`'),
    description: 'The model of the escalation tier. Enabled without it the service refuses to start.',
  }),
  agent: setting({
    name: 'EMEND_REPAIR_AGENT',
    type: z
      .string()
      .regex(/^[A-Za-z0-9_.-]{1,128}@[1-9]\d{0,5}$/)
      .describe('`id@version`'),
    default: 'output-repair@1',
    description: 'The declaration in the log that this agent is.',
  }),
  startSequence: setting({
    name: 'EMEND_REPAIR_START_SEQUENCE',
    type: z.union([z.literal('now'), sequence()]).describe('`now` or a sequence of the log'),
    default: 0,
    description: 'Requests before it are skipped and left as they are. `now` is the end of the log at each start.',
  }),
  abandonBefore: setting({
    name: 'EMEND_REPAIR_ABANDON_BEFORE_SEQUENCE',
    type: sequence().describe('a sequence of the log'),
    default: 0,
    description: 'After a restore from backup: unsettled requests before it are settled as abandoned.',
  }),
  durable: setting({ name: 'EMEND_REPAIR_DURABLE', type: oneLine(), default: 'repair-agent', description: 'Durable consumer to bind to.' }),
  slots: setting({
    name: 'EMEND_REPAIR_SLOTS',
    type: wholeNumber({ min: 1, max: slotsMax }),
    default: 1,
    description: 'Requests in hand at once, and messages taken ahead: none beyond them.',
  }),
  heartbeatMs: setting({
    name: 'EMEND_REPAIR_HEARTBEAT_MS',
    type: wholeNumber({ min: 50, max: 60_000 }),
    default: 10_000,
    description: 'How often a request in hand is said to be in work; well below the ack wait of the durable.',
  }),
  waitMaxMs: setting({
    name: 'EMEND_REPAIR_WAIT_MAX_MS',
    type: wholeNumber({ min: 0, max: dayMs }),
    default: 7_200_000,
    description: 'How long a request waits in hand for a provider that proves not to have generated.',
  }),
  endpoint: setting({
    name: 'EMEND_REPAIR_ENDPOINT',
    type: z
      .string()
      .refine((text) => isBaseUrl(text))
      .describe('an http or https URL without credentials, query or fragment'),
    default: 'https://tinker.thinkingmachines.dev/services/tinker-prod/oai/api/v1',
    description: 'Base URL of the OpenAI-compatible endpoint.',
  }),
  provider: setting({
    name: 'EMEND_REPAIR_PROVIDER',
    type: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/)
      .describe('letters, digits, `_` and `-`'),
    default: 'tinker',
    description: 'Name of the endpoint’s provider in the provenance of a proposal.',
  }),
  apiKeyFile: setting({
    name: 'EMEND_REPAIR_API_KEY_FILE',
    type: z.string().min(1).optional().describe('path of a file'),
    description: 'File with the endpoint’s key; without it none is sent.',
  }),
  structuredOutput: setting({
    name: 'EMEND_REPAIR_STRUCTURED_OUTPUT',
    type: oneOf(structuredOutputs),
    default: 'none',
    description: 'How the endpoint is asked to hold its output to the schema. The contract is checked in any case.',
  }),
  catalogueFile: setting({
    name: 'EMEND_MODEL_CATALOGUE_FILE',
    type: z.string().min(1).optional().describe('path of a YAML file'),
    description: 'The catalogue of models, in place of the four settings of the endpoint.',
  }),
  playerFile: setting({
    name: 'EMEND_REPAIR_PLAYER_FILE',
    type: z.string().min(1).optional().describe('path of a JSONL file'),
    description: 'For demos and tests: recorded generations to play instead of calling the endpoint.',
  }),
  nestedNamespaces: setting({
    name: 'EMEND_SANDBOX_NESTED_NAMESPACES',
    type: oneOf(nestedNamespaces),
    default: 'disabled',
    description:
      '`filtered` where /proc/sys is read-only, as in a container: the worker’s own filter alone then refuses namespaces within.',
  }),
} as const;

/** What describes the one endpoint. A catalogue file says all of it, so that naming both is a contradiction. */
const endpointSettings = ['endpoint', 'provider', 'apiKeyFile', 'structuredOutput'] as const;

/** Whether the host named any of them, rather than leaving it at its default. */
export const namesEndpoint = (env: NodeJS.ProcessEnv): boolean =>
  endpointSettings.some((key) => (env[repairAgentConfig[key].name] ?? '') !== '');
