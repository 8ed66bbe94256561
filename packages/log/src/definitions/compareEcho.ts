import type { WireConfig } from './wireConfig.js';

/**
 * Keys a server adds on its own, with the values that change nothing. Every other key that was not asked for must be
 * off: this way an option that a later server invents is noticed too, and not only those known today.
 */
const HARMLESS: Readonly<Record<string, (value: unknown) => boolean>> = {
  metadata: (v) => typeof v === 'object' && v !== null && Object.keys(v).every((key) => key.startsWith('_nats.')),
  compression: (v) => v === 'none',
  persist_mode: (v) => v === 'default',
  priority_policy: (v) => v === 'none',
  name: (v) => typeof v === 'string', // a durable's name, repeated
  max_waiting: (v) => typeof v === 'number',
  max_consumers: (v) => v === -1,
};

/**
 * Every difference between what was asked and what the server echoes, one line each, empty when they agree.
 * Old servers drop options they do not know without a word; the echo is the only place where that shows.
 */
export function compareEcho(title: string, asked: WireConfig, echo: WireConfig): string[] {
  const differences: string[] = [];
  for (const [key, wanted] of Object.entries(asked)) {
    if (isOff(wanted) && isOff(echo[key])) continue;
    if (canonical(wanted) !== canonical(echo[key])) {
      differences.push(`${title}.${key}: asked ${canonical(wanted)}, stands ${canonical(echo[key])}`);
    }
  }
  for (const [key, value] of Object.entries(echo)) {
    if (key in asked || isOff(value) || HARMLESS[key]?.(value)) continue;
    differences.push(`${title}.${key}: must be off, stands ${canonical(value)}`);
  }
  return differences;
}

function isOff(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === '') return true;
  return typeof value === 'object' && Object.values(value).every(isOff);
}

/** JSON with sorted keys, without what is off: a server may write `headers_only: false` or leave it out. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) => {
      if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
      const entries = Object.entries(inner).filter(([, v]) => !isOff(v));
      return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
    }) ?? 'nothing'
  );
}
