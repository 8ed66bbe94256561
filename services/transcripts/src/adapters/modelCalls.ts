import type { JsonObject } from '@emend/contracts';
import type { Model, ModelTimers } from '@emend/model';
import { ringOne } from '@emend/overseer';
import type { CallPort } from '@emend/revision';
import pLimit from 'p-limit';
import { patientModel } from './patientModel.js';
import { protocolOf, readTurn, strictAnswer } from './readReply.js';

/** The models of one profile. */
export interface ProfileModels {
  readonly answers: Model;
  /** Who repairs what it wrote. Null switches ring 1 off, its tolerant reading included. */
  readonly repairs: Model | null;
}

export interface ModelCallsOptions {
  /** By profile: a tier of the catalogue. */
  readonly profiles: ReadonlyMap<string, ProfileModels>;
  /** Calls of all kinds that run at once, structural repairs among them; more of them wait (A90, A124). */
  readonly admission: number;
  readonly limits: { readonly outputTokensMax: number; readonly generationMs: number };
  readonly timers: ModelTimers;
  /** Further tries where the answer proves that nothing was generated. */
  readonly transportRetriesMax: number;
}

/**
 * The one way to a model for proposals, decisions and revisions: admission, time limits, transport retries and ring 1 are here and
 * nowhere else (A83). One invocation is at most `1 + transportRetriesMax` calls of the model that answers, of which at most one generates, and one
 * structural repair, which waits for nobody. Whoever asked judges what comes of it by its own contract.
 */
export function modelCalls({ profiles, admission, limits, timers, transportRetriesMax }: ModelCallsOptions): CallPort {
  const admitted = pLimit(admission);
  return async ({ messages, schema, profile, signal }) => {
    const models = profiles.get(profile);
    if (models === undefined) throw new Error('a profile without a model: settings are checked before the first call');
    const patient = patientModel(models.answers, { admitted, timers, retriesMax: transportRetriesMax });
    if (models.repairs === null) {
      const answer = await patient.model.generate({ messages, contract: contractOf(schema), limits, signal });
      return strictAnswer(answer, patient.retries());
    }
    const repairs = models.repairs;
    const invocation = ringOne({
      role: 'standard',
      model: patient.model,
      repairModel: { identity: repairs.identity, generate: (request) => admitted(() => repairs.generate(request)) },
      protocol: protocolOf(schema),
    });
    const invoked = await invocation.invoke({ invocation: 'transcript', messages, limits, signal });
    return readTurn(invoked, { received: patient.text(), transportRetries: patient.retries() });
  };
}

const contractOf = (schema: JsonObject) => ({ name: 'transcript', schema });
