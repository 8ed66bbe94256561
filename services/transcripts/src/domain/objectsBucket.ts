/** Where transcripts are kept that have no room in an event. */
export const objectsBucket = 'transcripts';
