import { outputRepairKinds, outputRepairSubject, subjects } from '@emend/contracts';
import type { Broker, View } from '@emend/log';

const quarantineBucket = 'quarantine';

/**
 * The bucket for failed texts, once every place that a run may write is proven. Found here, a missing permission costs no delivery
 * of any message. Nothing is stored.
 */
export async function provenQuarantine(
  broker: Pick<Broker, 'proveWrite' | 'view'>,
  { producer, outputRepair }: { readonly producer: string; readonly outputRepair: boolean },
): Promise<View> {
  const probe = { producer, run: 'probe' };
  const trace = outputRepair ? outputRepairKinds.map((kind) => outputRepairSubject({ kind, ...probe })) : [];
  await broker.proveWrite([subjects.runStarted(probe), subjects.runEnded(probe), ...trace]);
  const quarantine = await broker.view(quarantineBucket);
  await quarantine.proveWrite();
  return quarantine;
}
