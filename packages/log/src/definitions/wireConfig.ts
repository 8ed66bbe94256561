import type { BucketDefinition, DurableDefinition, ObjectsDefinition, StreamDefinition } from './definitions.js';

/** A configuration in the broker's own words. */
export type WireConfig = Readonly<Record<string, unknown>>;

const NANOS_PER_SECOND = 1_000_000_000;
/** The broker wants a dedupe window no longer than the age, and never longer than this for a bucket. */
const BUCKET_WINDOW_SECONDS = 120;

/** The first token of the subjects is replaced: `a.b.>` republished to `c.b.>` carries what was stored. */
export function streamConfig(stream: StreamDefinition): WireConfig {
  return {
    name: stream.name,
    subjects: stream.subjects,
    retention: 'limits',
    storage: 'file',
    discard: stream.whenFull === 'refuse' ? 'new' : 'old',
    ...(stream.onePerSubject ? { discard_new_per_subject: true } : {}),
    max_msgs_per_subject: stream.onePerSubject ? 1 : -1,
    max_consumers: -1,
    max_msgs: stream.maxMessages,
    max_bytes: stream.maxBytes,
    max_msg_size: stream.maxMessageBytes,
    max_age: stream.maxAgeSeconds * NANOS_PER_SECOND,
    duplicate_window: stream.duplicateWindowSeconds * NANOS_PER_SECOND,
    num_replicas: stream.replicas,
    deny_delete: stream.denyDelete,
    deny_purge: stream.denyPurge,
    allow_direct: stream.allowDirect,
    ...(stream.republishTo === undefined ? {} : { republish: { src: stream.subjects[0], dest: stream.republishTo } }),
  };
}

/** The stream under a bucket, by the convention all NATS clients share. Rollup is how a purge of one key works there. */
export function bucketConfig(bucket: BucketDefinition): WireConfig {
  const windowSeconds = bucket.ttlSeconds > 0 ? Math.min(bucket.ttlSeconds, BUCKET_WINDOW_SECONDS) : BUCKET_WINDOW_SECONDS;
  return {
    name: bucketStream(bucket.name),
    subjects: [`$KV.${bucket.name}.>`],
    retention: 'limits',
    storage: 'file',
    discard: 'new',
    max_msgs_per_subject: bucket.history,
    max_consumers: -1,
    max_msgs: -1,
    max_bytes: bucket.maxBytes,
    max_msg_size: bucket.maxValueBytes,
    max_age: bucket.ttlSeconds * NANOS_PER_SECOND,
    duplicate_window: windowSeconds * NANOS_PER_SECOND,
    num_replicas: bucket.replicas,
    deny_delete: true,
    deny_purge: false,
    allow_rollup_hdrs: true,
    allow_direct: true,
  };
}

/** The stream under a bucket of objects, by the same convention: parts on one subject an object, and what they are on another. */
export function objectsConfig(objects: ObjectsDefinition): WireConfig {
  return {
    name: objectsStream(objects.name),
    subjects: objectSubjects(objects.name),
    retention: 'limits',
    storage: 'file',
    discard: 'new',
    max_msgs_per_subject: -1,
    max_consumers: -1,
    max_msgs: -1,
    max_bytes: objects.maxBytes,
    max_msg_size: -1,
    max_age: 0,
    duplicate_window: BUCKET_WINDOW_SECONDS * NANOS_PER_SECOND,
    num_replicas: objects.replicas,
    deny_delete: false,
    deny_purge: false,
    allow_rollup_hdrs: true,
    allow_direct: true,
  };
}

export function durableConfig(durable: DurableDefinition): WireConfig {
  return {
    durable_name: durable.name,
    filter_subject: durable.filter,
    deliver_policy: 'all',
    ack_policy: 'explicit',
    replay_policy: 'instant',
    ack_wait: durable.ackWaitSeconds * NANOS_PER_SECOND,
    max_deliver: durable.maxDeliver,
    max_ack_pending: durable.maxAckPending,
  };
}

export function bucketStream(bucket: string): string {
  return `KV_${bucket}`;
}

export function objectsStream(bucket: string): string {
  return `OBJ_${bucket}`;
}

export function objectSubjects(bucket: string): readonly string[] {
  return [`$O.${bucket}.C.>`, `$O.${bucket}.M.>`];
}
