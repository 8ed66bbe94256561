import { effectiveBudget, effectiveProfile, type RevisionSettings } from '@emend/revision';
import { type ModuleName, moduleNames } from './domain/moduleNames.js';
import type { StageSettings } from './runStage.js';

/** The root's settings and those of single stages; what a stage does not say is the root's (A84, A114). */
export interface SettingsScope extends RevisionSettings {
  readonly stages?: Partial<Readonly<Record<ModuleName, RevisionSettings>>>;
}

/**
 * What is in force for each stage. Stage and root are combined before a repair profile falls back to the proposal profile (A123).
 * @throws RevisionError `budget_invalid`, `profile_missing`
 */
export function stageSettings(root: SettingsScope): Readonly<Record<ModuleName, StageSettings>> {
  const of = (name: ModuleName): StageSettings => {
    const stage = root.stages?.[name] ?? {};
    const profile = effectiveProfile({ profile: stage.profile ?? root.profile });
    return { budget: effectiveBudget(root, stage), profile, repairProfile: effectiveProfile(root, stage) };
  };
  return Object.fromEntries(moduleNames.map((name) => [name, of(name)])) as Record<ModuleName, StageSettings>;
}
