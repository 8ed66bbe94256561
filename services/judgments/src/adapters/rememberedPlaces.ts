import type { PlacedEvent } from '../ports.js';

/**
 * The places read last. What stands on a place never changes, so it never becomes stale; absence is never remembered.
 * Erasure rewrites the log only while every writer is stopped, and a stopped process has forgotten.
 */
export class RememberedPlaces {
  readonly #max: number;
  /** A Map keeps the order of insertion: the first is the one that was not used for longest. */
  readonly #byPlace = new Map<string, PlacedEvent>();

  constructor(placesMax: number) {
    this.#max = placesMax;
  }

  get(place: string): PlacedEvent | null {
    const event = this.#byPlace.get(place);
    if (event === undefined) return null;
    this.#byPlace.delete(place);
    this.#byPlace.set(place, event);
    return event;
  }

  keep(event: PlacedEvent): PlacedEvent {
    this.#byPlace.delete(event.subject);
    this.#byPlace.set(event.subject, event);
    const [oldest] = this.#byPlace.keys();
    if (this.#byPlace.size > this.#max && oldest !== undefined) this.#byPlace.delete(oldest);
    return event;
  }
}
