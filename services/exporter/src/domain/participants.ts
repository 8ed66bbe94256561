import type { Claimed, Failed, Judgment, Produced, Proposed, Repair, Requested, Started } from '@emend/history';
import type { Participant, ParticipantRole, ParticipatingRun } from './trajectory.js';

interface OneRepair {
  readonly repair: Repair;
  readonly proposal: Proposed;
}

/** The source and the run that answered it. */
export const originalParticipants = (started: Started, ended: Produced | Failed): readonly Participant[] => [
  participant('source', started.source),
  participant('started', started),
  participant('ended', ended),
];

/** The request, the repair run and its proposal. */
export const repairParticipants = ({ repair, proposal }: OneRepair): readonly Participant[] => [
  participant('request', requestOf(repair)),
  participant('claim', claimOf(repair)),
  participant('proposal', proposal),
];

export const judgmentParticipant = (judgment: Judgment): Participant => participant('judgment', judgment);

/** The repair run as it says of itself, beside what its proposal says of it. */
export function repairRunOf({ repair, proposal }: OneRepair): ParticipatingRun {
  return { role: 'repair', model: claimOf(repair)?.model ?? proposal.repair, proposed: proposal.repair };
}

const requestOf = ({ request }: Repair): Requested | null => (request?.kind === 'requested' ? request : null);
const claimOf = ({ claim }: Repair): Claimed | null => (claim?.kind === 'claimed' ? claim : null);

/** Nothing vouches for what is not there. */
function participant(
  role: ParticipantRole,
  event: (Omit<Participant, 'role' | 'eventId'> & { readonly eventId: string }) | null,
): Participant {
  if (event === null) return { role, eventId: null, privacy: 'private', sourceClass: 'restricted-source' };
  return { role, eventId: event.eventId, privacy: event.privacy, sourceClass: event.sourceClass };
}
