import { commonConfig, setting, wholeNumber } from '@emend/runtime';
import { z } from 'zod';
import { FILE_BYTES_DEFAULT, FILE_BYTES_MAX, FILE_BYTES_MIN, PUTS_IN_FLIGHT, PUTS_IN_FLIGHT_MAX } from './limits.js';

export const projectorConfig = {
  ...commonConfig,
  file: setting({
    name: 'EMEND_PROJECTOR_FILE',
    type: z.string().min(1).describe('path of a file'),
    default: '.emend/projector.db',
    description: 'The fold, with its checkpoint. Each replica has its own; losing it costs time only.',
  }),
  fileBytesMax: setting({
    name: 'EMEND_PROJECTOR_FILE_BYTES_MAX',
    type: wholeNumber({ min: FILE_BYTES_MIN, max: FILE_BYTES_MAX }),
    default: FILE_BYTES_DEFAULT,
    description: 'Largest size of that file; past it the projector stops with `ledger_full`.',
  }),
  putsInFlight: setting({
    name: 'EMEND_PROJECTOR_PUTS_IN_FLIGHT',
    type: wholeNumber({ min: 1, max: PUTS_IN_FLIGHT_MAX }),
    default: PUTS_IN_FLIGHT,
    description: 'Puts to one view on their way at once.',
  }),
} as const;

export type ProjectorConfig = typeof projectorConfig;
