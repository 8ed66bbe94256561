import type { View } from '@emend/log';
import type { RunnerEvents } from '../events.js';
import type { Quarantine } from '../ports.js';

/** UTF-8 bytes of a text that the quarantine keeps; a longer one goes nowhere, and the run ends as it would. */
const textBytesMax = 261_120;

/** The bucket of malformed text, under the run's id: written once by whoever ended the run, and never read. What it does not take is counted. */
export function quarantineView(view: Pick<View, 'put'>, events: Pick<RunnerEvents, 'quarantineLost'>): Quarantine {
  return {
    async setAside(run, text) {
      const bytes = new TextEncoder().encode(text);
      if (bytes.byteLength > textBytesMax) return events.quarantineLost(run, 'too_large');
      try {
        const put = await view.put(run, bytes, 0);
        if (put.kind === 'conflict') events.quarantineLost(run, 'not_stored');
      } catch {
        events.quarantineLost(run, 'not_stored');
      }
    },
  };
}
