import { z } from 'zod';
import { setting } from './config.js';
import { logLevels } from './logger.js';
import { oneLine, oneOf, wholeNumber } from './settingTypes.js';

const PORT_MAX = 65_535;
const SERVERS_MAX = 16;

const port = z.union([z.literal('off'), wholeNumber({ min: 0, max: PORT_MAX })]).describe('`off`, a port, or `0` for a free port');

const serverList = z
  .string()
  .regex(/^[^\s,]+(,[^\s,]+)*$/)
  .refine((text) => text.split(',').length <= SERVERS_MAX && text.split(',').every(isServerUrl))
  .describe(`up to ${SERVERS_MAX} URLs (nats, tls, ws, wss) without credentials, separated by commas`);

/** Read by every process, whether its table names them or not. */
export const processConfig = {
  httpHost: setting({
    name: 'EMEND_HTTP_HOST',
    type: oneLine(),
    default: '127.0.0.1',
    description: 'Address of health, readiness and metrics.',
  }),
  httpPort: setting({ name: 'EMEND_HTTP_PORT', type: port, default: 'off', description: 'Port of health, readiness and metrics.' }),
  logLevel: setting({ name: 'EMEND_LOG_LEVEL', type: oneOf(logLevels), default: 'info', description: 'Least level that is logged.' }),
} as const;

/** The settings of a process that speaks to the log. */
export const commonConfig = {
  natsUrl: setting({ name: 'EMEND_NATS_URL', type: serverList, default: 'nats://127.0.0.1:4222', description: 'Where the broker is.' }),
  natsCredentials: setting({
    name: 'EMEND_NATS_CREDENTIALS',
    type: z.string().min(1).optional().describe('path of a file'),
    description: 'Credentials file for the broker; without it none are sent.',
  }),
  stream: setting({
    name: 'EMEND_STREAM',
    type: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/)
      .describe('letters, digits, `_` and `-`'),
    default: 'THOUGHT',
    description: 'Name of the stream.',
  }),
  ...processConfig,
} as const;

/** A password in a URL ends up in logs and process lists; credentials come from a file. */
function isServerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return ['nats:', 'tls:', 'ws:', 'wss:'].includes(url.protocol) && url.username === '' && url.password === '';
}
