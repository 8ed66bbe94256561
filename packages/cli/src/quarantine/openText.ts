import { encodeIncident } from '@emend/contracts';
import { type Broker, LogError, type View } from '@emend/log';
import { CliError } from '../errors.js';
import type { ShowOrder } from './showOrder.js';

const bucket = 'quarantine';

/**
 * The malformed text of a run. That somebody opens it is an incident, which the broker has acknowledged before the text
 * leaves the bucket; so it also tells of runs of which nothing was there.
 * @throws CliError `audit_failed`, `quarantine_empty`; LogError `view_missing`
 */
export async function openText(broker: Pick<Broker, 'store' | 'view'>, order: ShowOrder, nowMs: number): Promise<Uint8Array> {
  const view: Pick<View, 'get'> = await broker.view(bucket);
  await recordOpening(broker, order, nowMs);
  const entry = await view.get(order.run);
  // A bucket cannot tell what was never there from what its lifetime took.
  if (entry === null) throw new CliError('quarantine_empty', order.run, 'a run whose text was set aside, within its lifetime');
  return entry.bytes;
}

async function recordOpening(broker: Pick<Broker, 'store'>, { run, operator, reason }: ShowOrder, nowMs: number): Promise<void> {
  const { subject, bytes } = encodeIncident({
    service: 'operator',
    code: 'quarantine_opened',
    subject: `$KV.${bucket}.${run}`,
    operator,
    reason,
    time: new Date(nowMs).toISOString(),
  });
  try {
    await broker.store(subject, bytes);
  } catch (error) {
    const code = error instanceof LogError ? error.code : 'broken';
    throw new CliError('audit_failed', `${subject} (${code})`, 'an acknowledged incident; without one nothing is shown');
  }
}
