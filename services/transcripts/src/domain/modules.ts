import type { Check } from './checks/check.js';
import { glossary, possessive } from './checks/glossary.js';
import { homophone } from './checks/homophone.js';
import { language } from './checks/language.js';
import { backtrack, negation, numbers, voice } from './checks/meaning.js';
import { overEdit } from './checks/overEdit.js';
import { protection } from './checks/protection.js';
import { effect, scope, target } from './checks/target.js';
import type { ModelCheckName } from './modelChecks.js';
import { type ModuleName, moduleNames } from './moduleNames.js';

/** One stage: its checks in the order of the chain. Its prompts are the files of its name (A2, A62). */
export interface Module {
  readonly name: ModuleName;
  readonly checks: readonly Check[];
  readonly modelChecks: readonly ModelCheckName[];
  /** Whether a section goes through it at all where there is no glossary. */
  readonly needsGlossary: boolean;
}

/** What every stage checks: where it points, what it keeps. */
const everywhere = [target, effect, protection, language, numbers, negation, voice] as const;

export const modules: Readonly<Record<ModuleName, Module>> = {
  glossary: { name: 'glossary', checks: [...everywhere, scope, glossary, possessive], modelChecks: ['meaning'], needsGlossary: true },
  homophones: { name: 'homophones', checks: [...everywhere, scope, homophone], modelChecks: ['context', 'meaning'], needsGlossary: false },
  spoken_word: { name: 'spoken_word', checks: [...everywhere, scope, backtrack], modelChecks: ['meaning', 'style'], needsGlossary: false },
  grammar: { name: 'grammar', checks: [...everywhere, overEdit], modelChecks: ['meaning', 'style'], needsGlossary: false },
};

/** Every deterministic check, once. */
export const allChecks: readonly Check[] = [...new Set(moduleNames.flatMap((name) => modules[name].checks))];
