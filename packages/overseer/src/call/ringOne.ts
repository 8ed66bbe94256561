import type { Model } from '@emend/model';
import { invocationOf } from './primaryCall.js';
import { type RepairingOptions, repairing } from './repairing.js';
import type { Invocation } from './turn.js';

export interface RingOneOptions extends Omit<RepairingOptions, 'model'> {
  readonly role: 'standard' | 'repair';
  readonly model: Model;
  /** The model that repairs; absent for the same one. */
  readonly repairModel?: Model | undefined;
}

/** The invocation of a role, wrapped once per process (O21). A run of role `repair` has no overseer around it, and so no second call. */
export function ringOne({ role, model, repairModel = model, protocol, trace }: RingOneOptions): Invocation {
  const primary = invocationOf(model, protocol);
  return role === 'repair' ? primary : repairing(primary, { model: repairModel, protocol, trace });
}
