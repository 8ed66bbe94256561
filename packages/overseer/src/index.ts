export { type Decoder, type DecodeOptions, type DecoderOptions, decode, decoder } from './decode.js';
export type { Decoded, Outcome } from './decoded.js';
export { type Edit, type EditCode, editListHash, editListVersion, editTable } from './edits.js';
export { type FaultCode, faultTable } from './faults.js';
export { defaultLimits, type Limits } from './limits.js';
export { anyWrapping, noWrapping, type Wrapping } from './wrapping.js';
export type { DecodeStream, PartialDecoded } from './stream.js';
