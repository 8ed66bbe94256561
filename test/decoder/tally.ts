import { canonicalText, compileSchema, type JsonObject } from '@emend/contracts';
import type { Specimen } from '../support/faulty/specimens.js';

/** What became of specimens: the original value, another one, or none. */
export interface Tally {
  specimens: number;
  exact: number;
  /** Another value, which the contract accepts: nothing behind it could notice. */
  silentlyWrong: number;
  /** Another value, which the contract refuses. */
  wrong: number;
}

export const emptyTally = (): Tally => ({ specimens: 0, exact: 0, silentlyWrong: 0, wrong: 0 });

const checks = new WeakMap<JsonObject, (value: unknown) => readonly unknown[]>();

export function add(tally: Tally, specimen: Specimen, value: unknown): void {
  tally.specimens += 1;
  if (value === undefined) return;
  if (sameAs(specimen, value)) tally.exact += 1;
  else if (accepts(specimen.schema, value)) tally.silentlyWrong += 1;
  else tally.wrong += 1;
}

function sameAs(specimen: Specimen, value: unknown): boolean {
  try {
    return canonicalText(value) === canonicalText(specimen.original);
  } catch {
    return false;
  }
}

function accepts(schema: JsonObject, value: unknown): boolean {
  const check = checks.get(schema) ?? compileSchema(schema, 'tally');
  checks.set(schema, check);
  return check(value).length === 0;
}

export function tallyAt(tallies: Map<string, Tally>, name: string): Tally {
  const tally = tallies.get(name) ?? emptyTally();
  tallies.set(name, tally);
  return tally;
}
