export { readDictionary } from './adapters/dictionary.js';
export { modelCalls, type ProfileModels } from './adapters/modelCalls.js';
export { promptFilesInForce } from './adapters/promptFiles.js';
export { correctTranscript } from './correctTranscript.js';
export type { CorrectionEnd, TranscriptReport, TranscriptToCorrect } from './domain/correctedTranscript.js';
export { formatOfName, readTranscript, type TranscriptFormat, transcriptFormats } from './domain/reading/readTranscript.js';
export { compilePrompts } from './prompts.js';
export { transcriptsLife } from './service.js';
export { stageSettings, type SettingsScope } from './settings.js';
