/** Timers as an argument: what a deadline needs of them. The runtime's timers fit. */
export interface ModelTimers {
  /** Runs once after `ms`; the function it returns cancels. */
  after(ms: number, run: () => void): () => void;
}
