import { canonicalText, chainIdOf, eventIdOf, type JsonValue } from '@emend/contracts';
import { activeJudgments, type Dossier } from '@emend/history';

/** What stands in an output in the place of an identifier of the log. */
export const replacementWord = 'source';

/** A name that a person chose is looked for as a whole text only, and only from this length on: short ones are words. */
export const chosenNameCharactersMin = 8;

/** Identifiers that an output of a run may have picked up: a prompt shows a model the id of its source, and a contract may ask for it. */
export interface Identifiers {
  /** Hashes and places: nobody writes one by accident, so they are found anywhere in a text. */
  readonly hashed: readonly string[];
  /** Names that a person or another system chose: the capture, the producer, authorities, action ids. */
  readonly chosen: readonly string[];
}

/** All identifiers that the log has for one run (T129). */
export function identifiersOf(dossier: Dossier): Identifiers {
  const { started, ended } = dossier;
  const hashed = [dossier.run];
  const chosen = dossier.producer === null ? [] : [dossier.producer];
  if (started?.kind === 'started') {
    const { trigger, rootId, agent } = started;
    hashed.push(trigger, eventIdOf(trigger), rootId, started.eventId, agent.promptHash, agent.fingerprint);
    const capture = trigger.split('.').at(-1);
    if (capture !== undefined) chosen.push(capture);
  }
  if (ended !== null && 'eventId' in ended) hashed.push(ended.eventId);
  for (const [policy, repair] of Object.entries(dossier.repairs)) {
    hashed.push(policy);
    for (const event of [repair.request, repair.claim, repair.settlement]) {
      if (event === null) continue;
      if ('eventId' in event) hashed.push(event.eventId);
      if ('repairRun' in event) hashed.push(event.repairRun);
    }
  }
  for (const [chain, { links }] of Object.entries(dossier.chains)) {
    hashed.push(chain);
    for (const link of links) {
      hashed.push(link.eventId);
      if (link.action !== null) chosen.push(link.action);
    }
  }
  for (const { authority, target } of activeJudgments(dossier)) {
    chosen.push(authority);
    hashed.push(chainIdOf({ authority, target: target.id }));
  }
  return {
    // The longest first: a place may hold another identifier.
    hashed: [...new Set(hashed)].sort((a, b) => b.length - a.length || (a < b ? -1 : 1)),
    chosen: [...new Set(chosen)].filter((name) => name.length >= chosenNameCharactersMin),
  };
}

/** An output in canonical form, with every identifier in its texts replaced. Names of members stay: the contract wrote them. */
export function withoutIdentifiers(output: string, identifiers: Identifiers): string {
  return canonicalText(replaced(JSON.parse(output) as JsonValue, identifiers));
}

/** Whether an identifier is left: in the name of a member, for instance, where nothing is replaced. */
export const holdsIdentifier = (output: string, { hashed }: Identifiers): boolean => hashed.some((one) => output.includes(one));

function replaced(value: JsonValue, identifiers: Identifiers): JsonValue {
  if (typeof value === 'string') return replacedText(value, identifiers);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => replaced(item, identifiers));
  const entries = Object.entries(value as Readonly<Record<string, JsonValue>>);
  return Object.fromEntries(entries.map(([name, item]) => [name, replaced(item, identifiers)]));
}

function replacedText(text: string, { hashed, chosen }: Identifiers): string {
  if (chosen.includes(text)) return replacementWord;
  return hashed.reduce((rest, one) => rest.replaceAll(one, replacementWord), text);
}
