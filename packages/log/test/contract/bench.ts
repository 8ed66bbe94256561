import type { Broker } from '../../src/index.js';

/** What each part of the suite works with. */
export interface Bench {
  /** A connection that is closed after the test. */
  readonly connect: () => Promise<Broker>;
  /** A place nobody has used. */
  readonly place: (stem?: string) => string;
  readonly redeliver: () => void;
}
