import type { Change, Fact } from '../correction.js';
import type { TextFindingCode } from '../findingCodes.js';
import type { ModuleName } from '../moduleNames.js';
import type { Section } from '../sections.js';

/** One reason against a correction, before its validator's name and its sentence are added. */
export interface Found {
  readonly code: TextFindingCode;
  /** What was seen: words of the transcript or of the correction. */
  readonly evidence?: readonly string[];
  /** What a better version has to keep to. */
  readonly constraints?: readonly string[];
}

/** What is fixed while one section goes through one stage. */
export interface CheckContext {
  readonly module: ModuleName;
  readonly section: Section;
  readonly glossary: readonly string[];
  readonly protectedTerms: readonly string[];
  /** As the transcript declares it, or as its words show; null where nobody knows. */
  readonly language: string | null;
  /** Whether a lower-case word is one of the dictionary. */
  readonly isWord: (word: string) => boolean;
}

/** One deterministic check: a row of the applicability map and a pure judgment. Nothing found is an approval. */
export interface Check {
  readonly id: string;
  readonly needs: readonly Fact[];
  readonly sentence: string;
  readonly judge: (change: Change, context: CheckContext) => readonly Found[];
}
