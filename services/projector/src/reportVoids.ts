import type { Ledger } from '@emend/ledger';
import type { View } from '@emend/log';
import { moveReported } from './meta.js';
import { INCIDENTS_PAGE } from './limits.js';
import type { Incidents } from './ports.js';

export interface VoidReports {
  readonly ledger: Pick<Ledger, 'voids'>;
  readonly incidents: Incidents;
  /** Where the meta value stands. */
  readonly metaView: View;
  /** The log that the sequences belong to. */
  readonly incarnation: string;
}

/**
 * Raises one incident for each void event behind the watermark, then moves it. The watermark stands beside the view and
 * not in the file, so a second replica, a lost file and a rebuild tell nothing again. A crash in between tells a page twice.
 * Returns the new watermark.
 */
export async function reportVoids({ ledger, incidents, metaView, incarnation }: VoidReports, watermark: number): Promise<number> {
  let reported = watermark;
  for (;;) {
    const page = ledger.voids({ after: reported, limit: INCIDENTS_PAGE });
    const last = page.at(-1);
    if (last === undefined) return reported;
    for (const incident of page) await incidents.raise(incident);
    await moveReported(metaView, { log: incarnation, reported: last.sequence });
    reported = last.sequence;
  }
}
