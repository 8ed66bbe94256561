export type { Broker, ConnectOptions, Credentials, Message, Reply, ServeOptions, TlsFiles } from './broker.js';
export type {
  BootstrapReport,
  BucketDefinition,
  Definitions,
  DurableDefinition,
  ObjectsDefinition,
  StreamDefinition,
} from './definitions/definitions.js';
export { parseDefinitions } from './definitions/parseDefinitions.js';
export { type FaultNature, LogError, type LogErrorCode } from './errors.js';
export type {
  Appended,
  ConsumeOptions,
  Delivery,
  EventLog,
  EventToAppend,
  ReadOptions,
  StoredEvent,
} from './eventLog.js';
export { type BootstrapOptions, bootstrap } from './jetstream/bootstrap.js';
export { connect } from './jetstream/connect.js';
export { EVENT_BYTES_MAX } from './limits.js';
export type { GetObjectOptions, ObjectGot, ObjectRef, ObjectRefusal, Objects } from './objects.js';
export type { Put, Removed, View, ViewChange, ViewEntry, WatchOptions } from './view.js';
