import { z } from 'zod';
import { canonicalHash, canonicalText, deeperThan, outputDepthMax } from '../canonical.js';
import type { Issue, IssueCode } from '../diagnostics.js';
import { ContractsError } from '../errors.js';
import { jsonObjectSchema } from '../json.js';
import { sanitizeSchemaIssues } from '../sanitizer.js';
import { compileSchema, propertyNamesOf } from './compile.js';
import type { JsonObject, JsonValue, OutputContractDefinition } from './definition.js';
import { type ContractRef, dottedIdSchema, versionSchema } from './reference.js';

/** UTF-8 bytes of an output's canonical form. The rest of an event's 64 KiB is for all that stands around it. */
export const outputBytesMax = 49_152;

/** Characters of a prompt description. */
export const promptDescriptionMax = 8_000;

export const outputContractDefinitionSchema = z.strictObject({
  id: dottedIdSchema,
  version: versionSchema,
  schema: jsonObjectSchema,
  promptDescription: z.string().min(1).max(promptDescriptionMax),
});

export type ContractCheck =
  /** `text` is the canonical form: what is stored, compared and exported. */
  | { readonly kind: 'valid'; readonly text: string; readonly value: JsonValue }
  | { readonly kind: 'invalid'; readonly issues: readonly Issue[]; readonly issueCount: number };

/** One contract with its one validator, one prompt description and one hash (T47). */
export interface OutputContract {
  readonly ref: ContractRef;
  readonly schema: JsonObject;
  readonly promptDescription: string;
  readonly propertyNames: ReadonlySet<string>;
  check(value: unknown): ContractCheck;
}

/**
 * @throws ContractsError `contract_definition_invalid` or `contract_schema_invalid`
 */
export function compileContract(definition: OutputContractDefinition): OutputContract {
  const parsed = outputContractDefinitionSchema.safeParse(definition);
  if (!parsed.success) throw new ContractsError('contract_definition_invalid', 'id, version, schema and promptDescription');
  const { id, version, schema, promptDescription } = parsed.data;
  const validate = compileSchema(schema, `${id}@${version}`);
  const propertyNames = propertyNamesOf(schema);
  return {
    ref: { id, version, hash: canonicalHash({ id, version, schema, promptDescription }) },
    schema,
    promptDescription,
    propertyNames,
    check(value) {
      // Before the validator, which follows a recursive schema with the call stack.
      if (deeperThan(value, outputDepthMax)) return refusedWhole('too_deep');
      const found = validate(value);
      if (found.length > 0) return { kind: 'invalid', ...sanitizeSchemaIssues(found, propertyNames, value) };
      let text: string;
      try {
        text = canonicalText(value);
      } catch {
        return refusedWhole('lone_surrogate');
      }
      if (Buffer.byteLength(text, 'utf8') > outputBytesMax) return refusedWhole('too_long');
      return { kind: 'valid', text, value: value as JsonValue };
    },
  };
}

const refusedWhole = (code: IssueCode): ContractCheck => ({ kind: 'invalid', issues: [{ code, path: '' }], issueCount: 1 });

export type Resolved =
  | { readonly kind: 'found'; readonly contract: OutputContract }
  | { readonly kind: 'unknown' }
  /** The same id and version with other content: bad evidence, never a reason to use a similar schema (T49). */
  | { readonly kind: 'hash_differs' };

/** Binds `id@version` to exactly one contract. Grows, never changes: a second definition under one version is refused. */
export class OutputContracts {
  readonly #byKey = new Map<string, OutputContract>();

  static of(definitions: readonly OutputContractDefinition[]): OutputContracts {
    const contracts = new OutputContracts();
    for (const definition of definitions) contracts.add(compileContract(definition));
    return contracts;
  }

  /** @throws ContractsError `contract_declared_twice` where the version is bound to other content. */
  add(contract: OutputContract): void {
    const key = `${contract.ref.id}@${contract.ref.version}`;
    const bound = this.#byKey.get(key);
    if (bound !== undefined && bound.ref.hash !== contract.ref.hash) {
      throw new ContractsError('contract_declared_twice', 'one definition per contract version', key);
    }
    this.#byKey.set(key, contract);
  }

  resolve(ref: ContractRef): Resolved {
    const bound = this.#byKey.get(`${ref.id}@${ref.version}`);
    if (bound === undefined) return { kind: 'unknown' };
    return bound.ref.hash === ref.hash ? { kind: 'found', contract: bound } : { kind: 'hash_differs' };
  }

  all(): readonly OutputContract[] {
    return [...this.#byKey.values()];
  }
}
