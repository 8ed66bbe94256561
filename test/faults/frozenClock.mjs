// Loaded into a service by NODE_OPTIONS=--import: its clock stands still, so that two runs write the same bytes.
// Timers and performance.now go on.
const frozenMs = Date.parse('2026-06-01T00:00:00.000Z');
const RealDate = Date;
globalThis.Date = class Date extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(frozenMs);
    else super(...given);
  }
  static now() {
    return frozenMs;
  }
};
