import { type Issue, type IssueCode, issuePathMax, issuesMax } from './diagnostics.js';
import type { SchemaIssue } from './outputContracts/compile.js';

/** Part of the policy's identity: a change here is a change of what a diagnostic may say. */
export const sanitizerVersion = 'sanitizer@1';

/** From a JSON Schema keyword to our word for it. A keyword that is not here becomes `other_constraint`. */
const codeOfKeyword: ReadonlyMap<string, IssueCode> = new Map<string, IssueCode>(
  Object.entries({
    type: 'type',
    required: 'required',
    dependentRequired: 'required',
    additionalProperties: 'unexpected_property',
    unevaluatedProperties: 'unexpected_property',
    propertyNames: 'unexpected_property',
    maxLength: 'too_long',
    minLength: 'too_short',
    maxItems: 'too_many',
    maxProperties: 'too_many',
    minItems: 'too_few',
    minProperties: 'too_few',
    maximum: 'out_of_range',
    minimum: 'out_of_range',
    exclusiveMaximum: 'out_of_range',
    exclusiveMinimum: 'out_of_range',
    enum: 'not_in_enum',
    const: 'not_in_enum',
    pattern: 'pattern',
    format: 'format',
  } as const),
);

/**
 * What a schema validator said of `value`, reduced to codes and paths (T53, T54). At most {@link issuesMax}, in the validator's order, each once.
 * The value itself is looked at for one thing: whether a number in a path is an array's index or a name that the model made up.
 */
export function sanitizeSchemaIssues(
  found: readonly SchemaIssue[],
  propertyNames: ReadonlySet<string>,
  value: unknown,
): { readonly issues: readonly Issue[]; readonly issueCount: number } {
  const issues = new Map<string, Issue>();
  for (const issue of found) {
    const cleaned: Issue = { code: codeOfKeyword.get(issue.keyword) ?? 'other_constraint', path: cleanPath(issue, propertyNames, value) };
    issues.set(`${cleaned.code} ${cleaned.path}`, cleaned);
  }
  return { issues: [...issues.values()].slice(0, issuesMax), issueCount: issues.size };
}

/** A JSON pointer into `value` as a diagnostic may say it: names that are not the contract's become `*`. */
export const sanitizePath = (pointer: string, propertyNames: ReadonlySet<string>, value: unknown): string =>
  cleanPath({ instancePath: pointer, keyword: '', params: {} }, propertyNames, value);

function cleanPath(issue: SchemaIssue, propertyNames: ReadonlySet<string>, value: unknown): string {
  const names = issue.instancePath === '' ? [] : issue.instancePath.slice(1).split('/').map(unescapePointer);
  const clean: string[] = [];
  let at = value;
  for (const name of names) {
    const known = Array.isArray(at) ? arrayIndex.test(name) : isOwn(name, propertyNames);
    clean.push(known ? name : '*');
    at = memberOf(at, name);
  }
  const missing: unknown = issue.params['missingProperty'];
  if (typeof missing === 'string') clean.push(isOwn(missing, propertyNames) ? missing : '*');
  if (codeOfKeyword.get(issue.keyword) === 'unexpected_property') clean.push('*');
  return joinPath(clean);
}

/** An index of an array in a path. */
export const arrayIndex = /^[0-9]{1,6}$/;

const memberOf = (container: unknown, name: string): unknown =>
  typeof container === 'object' && container !== null && Object.hasOwn(container, name)
    ? (container as Readonly<Record<string, unknown>>)[name]
    : undefined;

const isOwn = (name: string, propertyNames: ReadonlySet<string>): boolean => propertyNames.has(name) && /^[A-Za-z0-9_$.-]+$/.test(name);

/** Cuts at whole names, so that a bounded path is still a path. */
function joinPath(names: readonly string[]): string {
  let path = '';
  for (const name of names) {
    if (path.length + 1 + name.length > issuePathMax) break;
    path += `/${name}`;
  }
  return path;
}

const unescapePointer = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~');
