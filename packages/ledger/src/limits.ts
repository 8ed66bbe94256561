/** Events of one transaction. Past 500 hardly anything is gained. */
export const BATCH_EVENTS_MAX = 500;

/** How long the first event of a batch may wait for company before it is committed. */
export const BATCH_LINGER_MS = 20;

/** Dossiers kept in memory, counted in characters of their JSON. */
export const DOSSIERS_CACHED_CHARS = 2_097_152;

/** Sources whose facts are kept in memory. Most runs start right after their source. */
export const SOURCES_CACHED_MAX = 2_048;

/** Rows read at once where a whole table is walked. */
export const PAGE_ROWS = 512;

/** SQLite's own page cache, in KiB. */
export const PAGE_CACHE_KIB = 8_192;
