/** Puts to one view on their way at once. */
export const PUTS_IN_FLIGHT = 128;
export const PUTS_IN_FLIGHT_MAX = 1_024;

/** How often one put meets another writer before the row waits for the next round. */
export const PUT_TRIES_MAX = 8;

/** Values of a view that are remembered, so that a put needs no read before it. */
export const KNOWN_VALUES_MAX = 4_096;

/** How often the meta value may change under a writer that wants to set it. */
export const META_TRIES_MAX = 16;

/** The pause after a broker that did not answer; it doubles up to the second. */
export const AWAY_FIRST_MS = 100;
export const AWAY_LAST_MS = 5_000;

/** Incidents that are sent before their watermark moves. */
export const INCIDENTS_PAGE = 64;

/** How often the lag is asked for. */
export const LAG_INTERVAL_MS = 10_000;

/** How often one process may drop its file before it gives up: a disk that lies is not healed by folding again. */
export const LEDGER_DROPS_MAX = 3;

/** Events between two lines of progress. */
export const PROGRESS_EVENTS = 10_000;

/** The largest ledger file, in bytes. */
export const FILE_BYTES_DEFAULT = 17_179_869_184;
export const FILE_BYTES_MIN = 1_048_576;
export const FILE_BYTES_MAX = 999_999_999_999_999;
