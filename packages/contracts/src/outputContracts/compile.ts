import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { ContractsError } from '../errors.js';
import type { JsonObject } from './definition.js';

// The plugin is CommonJS and its types put the function under `default`.
const addFormats = addFormatsModule.default;

export type SchemaIssue = Pick<ErrorObject, 'keyword' | 'instancePath' | 'params'>;

/**
 * Compiles one JSON Schema (2020-12) strictly. The validator changes nothing: no defaults, no coercion, no removal.
 * It finds all issues, or stops at the first: an answer of thousands of empty members has thousands of issues for each.
 * A schema that does not compile is a configuration error, never "no validation".
 * @throws ContractsError `contract_schema_invalid`
 */
export function compileSchema(
  schema: JsonObject,
  place: string,
  issues: 'all' | 'first' = 'all',
): (value: unknown) => readonly SchemaIssue[] {
  // A list of types is good JSON Schema, and what libraries write for a union; the rest of strict mode stays.
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    allErrors: issues === 'all',
    validateFormats: true,
    messages: false,
    logger: false,
  });
  addFormats(ajv);
  let validate: ValidateFunction;
  try {
    // An asynchronous validator answers with a promise, and a promise is true for every value.
    if ('$async' in schema) throw new TypeError('synchronous schemas only');
    validate = ajv.compile(schema);
    // A reference that goes round without entering the value compiles, and would overflow at the first answer.
    for (const value of [null, true, 0, '', [], {}]) validate(value);
  } catch {
    throw new ContractsError('contract_schema_invalid', 'a JSON Schema 2020-12 that compiles in strict mode', place);
  }
  return (value) => (validate(value) ? [] : (validate.errors ?? []));
}

/** Every property name that the schema itself writes down, at any depth. */
export function propertyNamesOf(schema: JsonObject): ReadonlySet<string> {
  const names = new Set<string>();
  const walk: unknown[] = [schema];
  while (walk.length > 0) {
    const item = walk.pop();
    if (typeof item !== 'object' || item === null) continue;
    const { properties, required } = item as { properties?: unknown; required?: unknown };
    if (typeof properties === 'object' && properties !== null && !Array.isArray(properties)) {
      for (const name of Object.keys(properties)) names.add(name);
    }
    if (Array.isArray(required)) for (const name of required) if (typeof name === 'string') names.add(name);
    for (const child of Object.values(item) as readonly unknown[]) walk.push(child);
  }
  return names;
}
