/** What a runner does with a source by its place in the log. */
export const startTable = [
  { id: 'S1', source: 'before the start', unclaimed: 'skipped as `before_start`', claimed: 'ended as `abandoned`, and nothing begins' },
  { id: 'S2', source: 'else', unclaimed: 'claimed', claimed: 'ended as `abandoned`, and the next attempt is claimed' },
] as const;

/** Whether a source may be claimed for: enabling late must not answer a backlog nobody asked for. Both are sequences of the log. */
export const mayClaimAt = (sequence: number, start: number): boolean => sequence >= start;
