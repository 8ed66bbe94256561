import type { View } from '@emend/log';
import type { ViewName } from './domain/rows.js';

/** The buckets by name. */
export type Views = Readonly<Record<ViewName, View>>;

/** Something an operator should see. Ids and codes. */
export interface ProjectorIncident {
  readonly code: string;
  readonly subject?: string;
  readonly sequence?: number;
}

/** Where incidents go. Rejects where the broker did not take one. */
export interface Incidents {
  raise(incident: ProjectorIncident): Promise<void>;
}
