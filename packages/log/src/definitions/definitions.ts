/** What the broker must hold: plain data, read from a file. Durations and sizes carry their unit in the name. */
export interface Definitions {
  readonly streams: readonly StreamDefinition[];
  readonly buckets: readonly BucketDefinition[];
  /** Absent where there are none. */
  readonly objects?: readonly ObjectsDefinition[];
  readonly durables: readonly DurableDefinition[];
}

export interface StreamDefinition {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly replicas: number;
  /** `refuse`: a full stream takes nothing more. `drop-oldest`: it forgets from the front. */
  readonly whenFull: 'refuse' | 'drop-oldest';
  /** One message per subject, for ever: the rule that the log rests on. */
  readonly onePerSubject: boolean;
  readonly denyDelete: boolean;
  readonly denyPurge: boolean;
  readonly allowDirect: boolean;
  readonly republishTo?: string;
  readonly maxMessages: number;
  readonly maxBytes: number;
  readonly maxMessageBytes: number;
  /** 0 = for ever. */
  readonly maxAgeSeconds: number;
  readonly duplicateWindowSeconds: number;
}

export interface BucketDefinition {
  readonly name: string;
  readonly replicas: number;
  readonly history: number;
  readonly maxBytes: number;
  readonly maxValueBytes: number;
  /** 0 = for ever. */
  readonly ttlSeconds: number;
}

/** A bucket of objects: content that is too large for an event. Kept as long as the log is. */
export interface ObjectsDefinition {
  readonly name: string;
  readonly replicas: number;
  readonly maxBytes: number;
}

export interface DurableDefinition {
  readonly name: string;
  readonly stream: string;
  readonly filter: string;
  readonly ackWaitSeconds: number;
  /** -1 = without limit. */
  readonly maxDeliver: number;
  readonly maxAckPending: number;
}

/** What bootstrap did. Names only. */
export interface BootstrapReport {
  readonly serverVersion: string;
  readonly created: readonly string[];
  readonly present: readonly string[];
}
