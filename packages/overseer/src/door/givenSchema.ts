import { type Issue, type JsonObject, type JsonValue, type OutputContract, sanitizeSchemaIssues } from '@emend/contracts';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { OverseerError } from '../errors.js';

/** A JSON Schema 2020-12, or any Standard Schema: zod, valibot, arktype. */
export type GivenSchema = JsonObject | StandardSchemaV1;

/** What a schema's value is in TypeScript. */
export type ValueOf<Schema> = Schema extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<Schema> : JsonValue;

/** Makes the JSON Schema of a Standard Schema that cannot say it itself. */
export type ToJsonSchema = (schema: StandardSchemaV1) => object;

export const isStandard = (schema: GivenSchema): schema is StandardSchemaV1 => '~standard' in schema;

/**
 * The JSON Schema of what a model must write: the schema's input.
 * @throws OverseerError `schema_without_json_schema`
 */
export function jsonSchemaOf(schema: GivenSchema, toJsonSchema?: ToJsonSchema): JsonObject {
  if (!isStandard(schema)) return schema;
  const standard: StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props> = schema['~standard'];
  let cause: unknown;
  try {
    const said = toJsonSchema?.(schema) ?? standard.jsonSchema?.input({ target: 'draft-2020-12' });
    if (said !== undefined) return said as JsonObject;
  } catch (error) {
    // A library says which part of the schema has no JSON form: dates, for example.
    cause = error;
  }
  const expected = 'a schema that can say its JSON Schema, or toJsonSchema';
  throw Object.assign(new OverseerError('schema_without_json_schema', 'schema', expected), cause === undefined ? {} : { cause });
}

export type Validated<Value> =
  | { readonly kind: 'valid'; readonly value: Value }
  | { readonly kind: 'invalid'; readonly issues: readonly Issue[]; readonly issueCount: number };

/** The schema's own verdict on an output that fits its JSON Schema, and the value it makes of it. Its messages can quote values and are left behind. */
export async function validate<Schema extends GivenSchema>(
  schema: Schema,
  output: JsonValue,
  { propertyNames }: OutputContract,
): Promise<Validated<ValueOf<Schema>>> {
  if (!isStandard(schema)) return { kind: 'valid', value: output as ValueOf<Schema> };
  try {
    const result = await schema['~standard'].validate(output);
    if (result.issues === undefined) return { kind: 'valid', value: result.value as ValueOf<Schema> };
    const found = result.issues.map(({ path = [] }) => ({ keyword: 'own', instancePath: pointerOf(path), params: {} }));
    return { kind: 'invalid', ...sanitizeSchemaIssues(found, propertyNames, output) };
  } catch {
    // A check that throws has not said yes, and what it throws can quote the value.
    return { kind: 'invalid', issues: [{ code: 'other_constraint', path: '' }], issueCount: 1 };
  }
}

const pointerOf = (path: readonly (PropertyKey | StandardSchemaV1.PathSegment)[]): string =>
  path
    .map((segment) => String(typeof segment === 'object' ? segment.key : segment))
    .map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
