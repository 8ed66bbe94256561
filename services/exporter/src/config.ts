import { type CompletionWay, completions } from '@emend/contracts';
import { commonConfig, setting, wholeNumber } from '@emend/runtime';
import { z } from 'zod';

const kindsMax = 64;
const intervalMinMs = 100;
const intervalMaxMs = 86_400_000;

const path = (): z.ZodType<string> => z.string().min(1).describe('a path');
const optionalPath = (): z.ZodType<string | undefined> => z.string().min(1).optional().describe('path of a JSON file');

const kinds = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}(,[A-Za-z0-9_-]{1,64})*$/)
  .transform((text): readonly string[] => text.split(','))
  .refine((list) => list.length <= kindsMax)
  .describe(`up to ${kindsMax} source kinds, separated by commas`);

const ways = z
  .string()
  .transform((text): readonly string[] => text.split(','))
  .pipe(z.array(z.enum(completions)))
  .transform((list): readonly CompletionWay[] => list)
  .describe(`one or more of ${completions.map((way) => `\`${way}\``).join(', ')}, separated by commas`);

/** The settings of the exporter, of `serve` and of the one-shot commands alike. */
export const exporterConfig = {
  ...commonConfig,
  file: setting({
    name: 'EMEND_EXPORTER_FILE',
    type: path(),
    default: '.emend/exporter.sqlite',
    description: 'The ledger of this service. Losing it costs time only.',
  }),
  exportDir: setting({
    name: 'EMEND_EXPORT_DIR',
    type: path(),
    default: '.emend/export',
    description: 'Folder of the exports. One exporter writes to it.',
  }),
  intervalMs: setting({
    name: 'EMEND_EXPORT_INTERVAL_MS',
    type: wholeNumber({ min: intervalMinMs, max: intervalMaxMs }),
    default: 5_000,
    description: 'Least time between two looks at the log, and so between two exports.',
  }),
  sourceKinds: setting({
    name: 'EMEND_EXPORT_SOURCE_KINDS',
    type: kinds,
    default: ['note'],
    description: 'Kinds of sources whose name may stand in a row; runs of any other kind are withheld.',
  }),
  completions: setting({
    name: 'EMEND_EXPORT_COMPLETIONS',
    type: ways,
    default: completions,
    description: 'How a run’s own output may have come to be valid; what came to be valid otherwise is withheld.',
  }),
  declassificationFile: setting({
    name: 'EMEND_DECLASSIFICATION_FILE',
    type: optionalPath(),
    description: 'Names events that are not public and may leave all the same; without it none.',
  }),
  destinationFile: setting({
    name: 'EMEND_DESTINATION_FILE',
    type: optionalPath(),
    description: 'Names the folder that may take what is not public; without it none may.',
  }),
} as const;
