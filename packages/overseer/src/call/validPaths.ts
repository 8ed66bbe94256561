import type { JsonValue, SchemaIssue } from '@emend/contracts';

/**
 * Whether a repaired value keeps what was valid: every leaf of the rejected value at a path without an issue at, above or below it.
 * Nothing may be added there either, except what stood at a path with an issue and has moved.
 * A leaf is a value that is no container, or an empty one.
 */
export function keepsValidPaths(rejected: JsonValue, repaired: JsonValue, issues: readonly SchemaIssue[]): boolean {
  const faulty = new Set(issues.map(placeOf));
  const containers = new Set([...faulty].flatMap(pathsTo));
  const isAtFault = (path: string): boolean => containers.has(path) || pathsTo(path).some((above) => faulty.has(above));
  const [before, after] = [leavesOf(rejected), leavesOf(repaired)];
  const loose = new Set([...before].filter(([path]) => isAtFault(path)).map(([, leaf]) => leaf));
  for (const [path, leaf] of before) if (!isAtFault(path) && after.get(path) !== leaf) return false;
  for (const [path, leaf] of after) if (!isAtFault(path) && !before.has(path) && !loose.has(leaf)) return false;
  return true;
}

/** The place of an issue as a JSON Pointer; where a member is missing or too many, the place of that member. */
function placeOf({ instancePath, params }: SchemaIssue): string {
  const { missingProperty, additionalProperty, unevaluatedProperty, propertyName } = params as Readonly<Record<string, unknown>>;
  const member = [missingProperty, additionalProperty, unevaluatedProperty, propertyName].find((name) => typeof name === 'string');
  return typeof member === 'string' ? `${instancePath}/${escaped(member)}` : instancePath;
}

/** The path itself and every path above it. */
function pathsTo(path: string): readonly string[] {
  const paths = [path];
  for (let at = path.lastIndexOf('/'); at >= 0; at = path.lastIndexOf('/', at - 1)) {
    paths.push(path.slice(0, at));
    if (at === 0) break;
  }
  return paths;
}

/** By JSON Pointer, as JSON: of a leaf there is one spelling. */
function leavesOf(root: JsonValue): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  const open: (readonly [string, JsonValue])[] = [['', root]];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const [path, value] = at;
    const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    if (members.length === 0) leaves.set(path, JSON.stringify(value));
    for (const [name, member] of members) open.push([`${path}/${escaped(name)}`, member]);
  }
  return leaves;
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
