import { type Catalogue, catalogueOf, readCatalogue } from '@emend/model';
import type { Config } from '@emend/runtime';
import type { transcriptsConfig } from '../config.js';
import type { ModuleName } from '../domain/moduleNames.js';
import { TranscriptsError } from '../errors.js';
import type { StageSettings } from '../runStage.js';
import { stageSettings } from '../settings.js';
import { type NamedProfile, parseSettings, settingsBytesMax } from '../settingsFile.js';
import { readText } from './textFiles.js';

/** The profile of a stage where nobody says another: the only one there is where an endpoint is set and no catalogue. */
export const defaultProfile = 'transcripts';

/** What each stage goes by, and the models of its profiles. */
export interface SettingsInForce {
  readonly stages: Readonly<Record<ModuleName, StageSettings>>;
  readonly catalogue: Catalogue;
}

/**
 * The file of settings over what the environment says, held against the catalogue: a profile without a model is refused here, before the first call.
 * @throws TranscriptsError `settings_refused`, `file_unreadable`; ModelError where the catalogue cannot be used.
 */
export async function readSettingsInForce(config: Config<typeof transcriptsConfig>): Promise<SettingsInForce> {
  const { settingsFile: file, repairAttempts } = config;
  const catalogue = await readProfiles(config);
  const read = parseSettings(file === undefined ? '' : await readText(file, settingsBytesMax));
  if (read.kind === 'refused') throw refused(file, read.faults);
  const { profile = defaultProfile, repair, stages } = read.settings;
  const inForce = stageSettings({
    profile,
    repair: { ...repair, maxAttempts: repair?.maxAttempts ?? repairAttempts },
    ...(stages && { stages }),
  });
  const used = Object.values(inForce).flatMap((stage) => [stage.profile, stage.repairProfile]);
  const named: readonly NamedProfile[] = [
    ...read.profiles,
    ...(used.includes(profile) && read.settings.profile === undefined ? [{ profile, line: null, place: 'profile' }] : []),
  ];
  const tiers = Object.keys(catalogue.tiers);
  const unknown = named.filter((one) => !tiers.includes(one.profile));
  if (unknown.length > 0)
    throw refused(
      file,
      unknown.map(({ line, place }) => ({ line, place, expected: `one of ${tiers.join(', ')}` })),
    );
  return { stages: inForce, catalogue };
}

/** The tiers of the host's catalogue; without one, the endpoint as the one profile. */
const readProfiles = async (config: Config<typeof transcriptsConfig>): Promise<Catalogue> => {
  const { catalogueFile, escalationModel, endpoint, model, apiKeyFile, structuredOutput } = config;
  if (catalogueFile !== undefined) return readCatalogue(catalogueFile, { escalationModel });
  return catalogueOf({ [defaultProfile]: { provider: 'endpoint', baseUrl: endpoint, keyFile: apiKeyFile, model, structuredOutput } });
};

const refused = (
  file: string | undefined,
  faults: readonly { readonly line: number | null; readonly place: string; readonly expected: string }[],
) =>
  new TranscriptsError(
    'settings_refused',
    faults.map(
      ({ line, place, expected }) => `${file ?? 'no file of settings'}${line === null ? '' : `:${line}`}: ${place}: expected ${expected}`,
    ),
  );
