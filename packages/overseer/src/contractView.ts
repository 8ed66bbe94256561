import { compileSchema, type Issue, type JsonObject, type JsonValue, propertyNamesOf, sanitizeSchemaIssues } from '@emend/contracts';

/** A step from a container to a child: a name, or null for a member of an array. */
export type PathStep = string | null;

/** What the decoder asks of a contract. */
export interface ContractView {
  /** Every property name that the schema writes down. */
  readonly names: ReadonlySet<string>;
  readonly rootMayBe: { readonly object: boolean; readonly array: boolean };
  /** All issues of a value from at most `issuesBytesMax` bytes of text, the first of a larger one. */
  check(value: JsonValue, bytes: number): { readonly issues: readonly Issue[]; readonly issueCount: number };
  /** Whether only text can stand there; `listed` where it must also be one of a list. */
  textAt(path: readonly PathStep[]): 'text' | 'listed' | 'no';
}

/** @throws ContractsError `contract_schema_invalid`: a schema that does not compile is a configuration error. */
export function viewContract(schema: JsonObject): ContractView {
  const first = compileSchema(schema, 'decoder', 'first');
  let all: typeof first | null = null;
  const names = propertyNamesOf(schema);
  const roots = alternatives([schema], schema);
  // A root that was not understood may be anything.
  const may = (type: string): boolean => roots.length === 0 || roots.some((root) => permits(root, type));
  return {
    names,
    rootMayBe: { object: may('object'), array: may('array') },
    check(value, bytes) {
      const found = first(value);
      if (found.length === 0) return fits;
      if (bytes > issuesBytesMax) return sanitizeSchemaIssues(found, names, value);
      all ??= compileSchema(schema, 'decoder');
      return sanitizeSchemaIssues(all(value), names, value);
    },
    textAt(path) {
      let places = roots;
      for (const step of path)
        places = alternatives(
          places.map((place) => childOf(place, step)),
          schema,
        );
      if (places.length === 0 || !places.every(isTextual)) return 'no';
      return places.every((place) => place['enum'] !== undefined || place['const'] !== undefined) ? 'listed' : 'text';
    },
  };
}

/** UTF-8 bytes of a text whose issues are all worth finding: each takes time, and a hostile text has one for every other byte. */
export const issuesBytesMax = 8_192;

const fits = { issues: [], issueCount: 0 } as const;

/** Schemas looked at for one place; more is not worth an answer. */
const placesMax = 64;

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schemas that may apply in these places: references followed, choices spread. Empty where that is not known. */
function alternatives(places: readonly unknown[], root: JsonObject): readonly JsonObject[] {
  const found: JsonObject[] = [];
  const open = [...places];
  for (let looked = 0; open.length > 0; looked += 1) {
    const place = open.pop();
    if (looked === placesMax || !isObject(place)) return [];
    if (typeof place['$ref'] === 'string') open.push(referenced(place['$ref'], root));
    const choices = ['anyOf', 'oneOf', 'allOf'].flatMap((word) => (Array.isArray(place[word]) ? (place[word] as readonly unknown[]) : []));
    open.push(...choices);
    if (place['if'] !== undefined) return [];
    if (place['$ref'] === undefined && choices.length === 0) found.push(place);
    else if (place['type'] !== undefined || place['enum'] !== undefined || place['properties'] !== undefined) found.push(place);
  }
  return found;
}

function referenced(pointer: string, root: JsonObject): unknown {
  if (!pointer.startsWith('#')) return undefined;
  let at: unknown = root;
  for (const name of pointer.slice(1).split('/').slice(1)) {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

function childOf(place: JsonObject, step: PathStep): unknown {
  if (step === null) return place['prefixItems'] === undefined ? place['items'] : undefined;
  const { properties, patternProperties, additionalProperties } = place as Readonly<Record<string, unknown>>;
  if (isObject(properties) && Object.hasOwn(properties, step)) return properties[step];
  return patternProperties === undefined ? additionalProperties : undefined;
}

const typesOf = (place: JsonObject): readonly unknown[] | null => {
  const type: unknown = place['type'];
  if (Array.isArray(type)) return type as readonly unknown[];
  return typeof type === 'string' ? [type] : null;
};

function permits(place: JsonObject, type: string): boolean {
  const types = typesOf(place);
  return types === null || types.includes(type);
}

function isTextual(place: JsonObject): boolean {
  const types = typesOf(place);
  if (types !== null) return types.every((type) => type === 'string');
  const list: unknown = place['enum'] ?? (place['const'] === undefined ? undefined : [place['const']]);
  return Array.isArray(list) && list.length > 0 && list.every((item) => typeof item === 'string');
}
