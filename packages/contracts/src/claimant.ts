import type { EventRead } from './events/read.js';

/** Whose claim stands on a place: only the process whose claimant is stored may call the model. A void claim is nobody's. */
export const claimantOf = (claim: EventRead): string | undefined =>
  claim.kind === 'event' && claim.event.name === 'runStarted' ? claim.event.data.claimant : undefined;
