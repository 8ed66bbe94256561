export { type Catalogue, type CatalogueEntry, catalogueOf, isBaseUrl, type TierWritten } from './catalogue.js';
export { errorIn } from './completionAnswer.js';
export { maxTokensFields, type StructuredOutput, structuredOutputs } from './dialects.js';
export {
  type FailureRow,
  type ModelFailedCode,
  modelFailedCodes,
  type ModelNotGeneratedCode,
  modelNotGeneratedCodes,
} from './failureCodes.js';
export { readModelMapping } from './modelMapping.js';
export { type ProviderSignal, providerSignals, type SignalRow } from './providerSignals.js';
export type { ChatMessage, ConversationMessage } from '../port.js';
