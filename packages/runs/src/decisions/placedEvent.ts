import type { EventRead } from '@emend/contracts';

/** What stands on a place, read without trust. */
export interface PlacedEvent {
  readonly sequence: number;
  readonly read: EventRead;
}
