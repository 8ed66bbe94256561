export * from './agents.js';
export { canonicalBytes, canonicalHash, canonicalText, deeperThan, hashToken, jsonDepthMax, outputDepthMax, sha256 } from './canonical.js';
export { claimantOf } from './claimant.js';
export * from './completion.js';
export * from './diagnostics.js';
export * from './errors.js';
export { type EventData, type EventName, eventCatalogue, eventNames, readType, typeOf } from './events/catalogue.js';
export * from './events/data.js';
export { type EventDraft, type EventOf, eventBytesMax, eventContentType, type ThoughtEvent } from './events/envelope.js';
export { type EventRead, readEvent, type VoidCode, voidCodes } from './events/read.js';
export { type EncodedEvent, encodeEvent } from './events/write.js';
export * from './finishReasons.js';
export * from './identities.js';
export * from './incidents.js';
export * from './judgmentCommands.js';
export { compileSchema, propertyNamesOf, type SchemaIssue } from './outputContracts/compile.js';
export { conceptualizationGraph } from './outputContracts/conceptualizationGraph.js';
export type { JsonObject, JsonValue, OutputContractDefinition } from './outputContracts/definition.js';
export { observation } from './outputContracts/observation.js';
export { pathsBelongTo } from './outputContracts/pathsBelongTo.js';
export * from './outputContracts/reference.js';
export {
  type ContractCheck,
  compileContract,
  type OutputContract,
  OutputContracts,
  outputBytesMax,
  outputContractDefinitionSchema,
  type Resolved,
} from './outputContracts/registry.js';
export * from './outputRepairEvents.js';
export { isPrompted, transcriptCorrection } from './outputContracts/transcriptCorrection.js';
export * from './places.js';
export * from './policy.js';
export * from './privacy.js';
export { sanitizeSchemaIssues, sanitizerVersion } from './sanitizer.js';
export * from './semanticRules.js';
export { decoderVersion, openContainers, parseStrictJson, type StrictJson } from './strictJson.js';
export * from './transcriptCapture.js';
export * from './transcripts.js';
