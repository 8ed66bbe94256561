import { type ContractRef, type EventDraft, type EventRead, sameContract, transcriptOutputSchema } from '@emend/contracts';

/**
 * The corrected transcript that a stored end says, or null where it says none: a failure, a void end, an erased one. Its bytes
 * follow from the end alone, its time too, so that every delivery that finds the end writes the same.
 */
export function derivedDraft(end: EventRead, contract: ContractRef): EventDraft<'transcriptCorrected'> | null {
  if (end.kind !== 'event' || end.event.name !== 'outputProduced') return null;
  const { id, source, time, rootId, privacy, sourceClass, data } = end.event;
  const output = sameContract(data.contract, contract) ? transcriptOutputSchema.safeParse(data.output) : null;
  if (!output?.success) return null;
  const { producer, run, trigger } = data;
  return {
    name: 'transcriptCorrected',
    source,
    time,
    rootId,
    causationId: id,
    privacy,
    sourceClass,
    data: { ...output.data, producer, run, trigger, ended: id, contract },
  };
}
