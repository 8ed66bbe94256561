import { isBaseUrl, structuredOutputs } from '@emend/model/decisions';
import { flag, oneLine, oneOf, setting, wholeNumber } from '@emend/runtime';
import { z } from 'zod';
import { attemptsMax } from './settingsFile.js';

const file = (expected: string) => z.string().min(1).optional().describe(expected);

export const transcriptsConfig = {
  settingsFile: setting({
    name: 'EMEND_TRANSCRIPTS_SETTINGS_FILE',
    type: file('path of a YAML file'),
    description: 'Settings of the root and of single stages.',
  }),
  catalogueFile: setting({
    name: 'EMEND_MODEL_CATALOGUE_FILE',
    type: file('path of a YAML file'),
    description: 'The catalogue of models: each tier is a profile. Without it the endpoint is the one profile, `transcripts`.',
  }),
  escalationModel: setting({
    name: 'THOUGHTSTREAM_TINKER_ESCALATION_MODEL',
    type: z.string().optional().describe('a model id, a `tinker://` path of weights, or both joined by `;`'),
    description: 'The model of the escalation tier, where the catalogue has one.',
  }),
  endpoint: setting({
    name: 'EMEND_TRANSCRIPTS_ENDPOINT',
    type: z
      .string()
      .refine((text) => isBaseUrl(text))
      .describe('an http or https URL without credentials, query or fragment'),
    default: 'http://127.0.0.1:8000/v1',
    description: 'Base URL of an OpenAI-compatible endpoint.',
  }),
  model: setting({ name: 'EMEND_TRANSCRIPTS_MODEL', type: oneLine(), default: 'default', description: 'The model that is asked.' }),
  apiKeyFile: setting({
    name: 'EMEND_TRANSCRIPTS_API_KEY_FILE',
    type: file('path of a file'),
    description: 'File with the endpoint’s key; without it none is sent.',
  }),
  structuredOutput: setting({
    name: 'EMEND_TRANSCRIPTS_STRUCTURED_OUTPUT',
    type: oneOf(structuredOutputs),
    default: 'none',
    description: 'How the endpoint is asked to hold its output to the schema. The contract is checked in any case.',
  }),
  promptsDir: setting({
    name: 'EMEND_TRANSCRIPTS_PROMPTS',
    type: file('path of a folder'),
    description: 'Folder with prompts that replace shipped ones, file by file.',
  }),
  repairAttempts: setting({
    name: 'EMEND_TRANSCRIPTS_REPAIR_MAX_ATTEMPTS',
    type: wholeNumber({ min: 0, max: attemptsMax }),
    default: 1,
    description:
      '`repair.max_attempts` of the root, where the file of settings has none: revisions of one rejected correction. 0 switches the loop off.',
  }),
  outputRepair: setting({
    name: 'EMEND_TRANSCRIPTS_OUTPUT_REPAIR',
    type: flag(),
    default: true,
    description:
      'Ring 1: the tolerant decoder and at most one overseer call for a reply that cannot be read. `false` leaves strict reading.',
  }),
  outputRepairModel: setting({
    name: 'EMEND_TRANSCRIPTS_OUTPUT_REPAIR_MODEL',
    type: z.string().max(128).optional().describe('a model of the same provider'),
    description: 'The model that repairs such a reply; without it the one that wrote it.',
  }),
  admission: setting({
    name: 'EMEND_TRANSCRIPTS_ADMISSION',
    type: wholeNumber({ min: 1, max: 256 }),
    default: 4,
    description: 'Model calls at once: proposals, decisions and revisions together.',
  }),
  transportRetriesMax: setting({
    name: 'EMEND_TRANSCRIPTS_TRANSPORT_RETRIES_MAX',
    type: wholeNumber({ min: 0, max: 16 }),
    default: 4,
    description:
      'Further tries of one call where the answer proves that nothing was generated, with pauses that double from a second: 4 wait 15 s, 12 more than an hour.',
  }),
  debugFile: setting({
    name: 'EMEND_TRANSCRIPTS_DEBUG_FILE',
    type: file('path of a file'),
    description: 'File for the history of every attempt, one JSON object a line, with all texts redacted; without it there is none.',
  }),
  generationMs: setting({
    name: 'EMEND_TRANSCRIPTS_GENERATION_MS',
    type: wholeNumber({ min: 1_000, max: 3_600_000 }),
    default: 120_000,
    description: 'How long one model call may take.',
  }),
} as const;
