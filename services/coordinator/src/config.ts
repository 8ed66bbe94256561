import { commonConfig, oneLine, setting, wholeNumber } from '@emend/runtime';
import { z } from 'zod';

const slotsMax = 64;

export const coordinatorConfig = {
  ...commonConfig,
  policyFile: setting({
    name: 'EMEND_POLICY_FILE',
    type: z.string().min(1).optional().describe('path of a JSON file with one policy definition or a list'),
    description: 'Repair policies that this replica has; without it the shipped one.',
  }),
  durable: setting({
    name: 'EMEND_COORDINATOR_DURABLE',
    type: oneLine(),
    default: 'coordinator',
    description: 'Durable consumer to bind to.',
  }),
  slots: setting({
    name: 'EMEND_COORDINATOR_SLOTS',
    type: wholeNumber({ min: 1, max: slotsMax }),
    default: 8,
    description: 'Ended runs in hand at once.',
  }),
} as const;
