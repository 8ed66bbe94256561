import { pino } from 'pino';
import { safeCode } from './safeCode.js';

/** Longest string of a log field, in characters; the rest is cut. */
export const LOG_TEXT_MAX_CHARS = 128;

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Fields this package writes itself; a service adds its own names. */
export const runtimeFields = [
  'at',
  'cause',
  'code',
  'component',
  'delayMs',
  'deliveries',
  'error',
  'exitCode',
  'expected',
  'host',
  'inHand',
  'loop',
  'node',
  'outcome',
  'port',
  'reason',
  'setting',
  'signal',
  'state',
  'version',
] as const;

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Writes one line per event: a stable name and allowed fields. There is no way to log free text. */
export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** A logger that adds these fields to each line, under the same allow-list. */
  child(fields: LogFields): Logger;
}

export interface LoggerOptions {
  readonly name: string;
  /** Allowed beside `runtimeFields`. */
  readonly fields?: readonly string[];
  readonly level?: LogLevel;
  /** Standard output when absent. */
  readonly destination?: { write(line: string): void };
  /** Told how many fields of a line were left out. Their names are not passed on: a name can be payload too. */
  readonly onDropped?: (count: number) => void;
}

/** A logger over pino that keeps allowed fields only; everything else is dropped, counted and marked in the line. */
export function createLogger(options: LoggerOptions): Logger {
  const { name, level = 'info', onDropped = () => {} } = options;
  // Written synchronously: the last line before an exit is the one that matters.
  const destination = options.destination ?? pino.destination({ fd: 1, sync: true });
  const sink = pino(
    {
      level,
      base: { service: name },
      messageKey: 'event',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  const allowed: ReadonlySet<string> = new Set([...runtimeFields, ...(options.fields ?? [])]);
  return withFields({}, (lineLevel, event, fields) => {
    const { kept, dropped } = keepAllowed(fields, allowed);
    if (dropped > 0) onDropped(dropped);
    sink[lineLevel](dropped > 0 ? { ...kept, droppedFields: dropped } : kept, safeCode(event, 'event_name_refused'));
  });
}

/** A logger that writes nothing, for tests. */
export const silentLogger: Logger = withFields({}, () => {});

type Write = (level: 'debug' | 'info' | 'warn' | 'error', event: string, fields: LogFields) => void;

function withFields(base: LogFields, write: Write): Logger {
  return {
    debug: (event, fields) => write('debug', event, { ...base, ...fields }),
    info: (event, fields) => write('info', event, { ...base, ...fields }),
    warn: (event, fields) => write('warn', event, { ...base, ...fields }),
    error: (event, fields) => write('error', event, { ...base, ...fields }),
    child: (fields) => withFields({ ...base, ...fields }, write),
  };
}

/** Allowed names with plain values. `undefined` is an absent field, not a dropped one. */
function keepAllowed(fields: LogFields, allowed: ReadonlySet<string>): { kept: Record<string, unknown>; dropped: number } {
  const kept: Record<string, unknown> = {};
  let dropped = 0;
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const plain = plainValue(value);
    if (allowed.has(name) && plain !== undefined) kept[name] = plain;
    else dropped += 1;
  }
  return { kept, dropped };
}

/** Callers may be untyped: an object, a bigint or a symbol is refused here, whatever the compiler was told. */
function plainValue(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'string') return value.slice(0, LOG_TEXT_MAX_CHARS);
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}
