export { type Appended, appendOnce } from './appendOnce.js';
export { Authority } from './authority.js';
export { followFacts, getRow, listRows, type ViewRow, watchRows } from './consumer.js';
export { ClientError, type ClientErrorCode } from './errors.js';
export { type HistoryEvent, readHistory } from './history.js';
export { type Capture, Producer, type ProducerOptions, type RunStart } from './producer.js';
export { type RawAnswer, Run, type RunEnd } from './run.js';
