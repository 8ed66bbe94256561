/** From where in the log this agent generates. Sequences are those of the requests. */
export interface StartPosition {
  /** Requests before it are left as they are: enabling late must not generate a backlog nobody asked for. */
  readonly start: number;
  /** Unsettled requests before it are settled as `abandoned`: what a restored backup does not know may have been generated. */
  readonly abandonBefore: number;
}

export type Admission = 'generate' | 'abandon' | 'leave';

/** Whether an unclaimed request is generated for. A restore is the stronger word: its requests end. */
export function admit(sequence: number, { start, abandonBefore }: StartPosition): Admission {
  if (sequence < abandonBefore) return 'abandon';
  return sequence < start ? 'leave' : 'generate';
}
