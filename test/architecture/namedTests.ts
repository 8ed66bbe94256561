import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from './cruise.js';

/** One `describe`, `it` or `test` of a file, read from its source without running it. */
export interface NamedTest {
  /** As written; the value of a template string stands as `${…}`. */
  readonly title: string;
  /** The titles of the blocks around it, the outermost first. */
  readonly within: readonly string[];
  readonly skipped: boolean;
  /** What its table of cases says, where it has one: every literal that `each` gets, through the constants of the file. */
  readonly cases: ReadonlySet<string>;
}

const testWords = new Set(['describe', 'it', 'test']);
const skippingWords = new Set(['skip', 'skipIf', 'runIf', 'todo', 'fails']);

const readBefore = new Map<string, readonly NamedTest[]>();

/** Every test that a file names, relative to the root; none where the file is not there. */
export function namedTestsIn(file: string): readonly NamedTest[] {
  const known = readBefore.get(file);
  if (known) return known;
  const full = path.join(root, file);
  const found = existsSync(full) ? testsIn(readFileSync(full, 'utf8')) : [];
  readBefore.set(file, found);
  return found;
}

export function testsIn(text: string): readonly NamedTest[] {
  const source = ts.createSourceFile('test.ts', text, ts.ScriptTarget.Latest, true);
  const constants = constantsOf(source);
  const found: NamedTest[] = [];
  const visit = (node: ts.Node, outer: NamedTest | null): void => {
    const call = ts.isCallExpression(node) ? testCallOf(node) : null;
    const named = call && {
      title: call.title,
      within: outer ? [...outer.within, outer.title] : [],
      skipped: outer?.skipped === true || call.words.some((word) => skippingWords.has(word)),
      cases: call.table ? literalsOf(call.table, constants) : new Set<string>(),
    };
    if (named) found.push(named);
    ts.forEachChild(node, (child) => visit(child, named ?? outer));
  };
  visit(source, null);
  return found;
}

/** A call that names a test: its title, the words between `it` and the title (`each`, `concurrent` …), and the table of `each`. */
function testCallOf(node: ts.CallExpression): { title: string; words: readonly string[]; table: ts.Node | null } | null {
  const title = node.arguments[0] && textOf(node.arguments[0]);
  if (title === undefined || title === null) return null;
  const words: string[] = [];
  let table: ts.Node | null = null;
  let callee: ts.Expression = node.expression;
  while (!ts.isIdentifier(callee)) {
    if (ts.isCallExpression(callee)) {
      if (ts.isPropertyAccessExpression(callee.expression) && callee.expression.name.text === 'each') table = callee.arguments[0] ?? null;
      callee = callee.expression;
    } else if (ts.isPropertyAccessExpression(callee)) {
      words.push(callee.name.text);
      callee = callee.expression;
    } else return null;
  }
  return testWords.has(callee.text) ? { title, words, table } : null;
}

function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => `\${…}${literal.text}`)].join('');
}

type Constants = ReadonlyMap<string, readonly ts.Node[]>;

function constantsOf(source: ts.SourceFile): Constants {
  const constants = new Map<string, ts.Node[]>();
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      constants.set(node.name.text, [...(constants.get(node.name.text) ?? []), node.initializer]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return constants;
}

function literalsOf(table: ts.Node, constants: Constants): ReadonlySet<string> {
  const literals = new Set<string>();
  const seen = new Set<string>();
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    if (text !== null) literals.add(text);
    if (ts.isPropertyAssignment(node) && (ts.isIdentifier(node.name) || ts.isStringLiteral(node.name))) literals.add(node.name.text);
    if (ts.isIdentifier(node) && !seen.has(node.text)) {
      seen.add(node.text);
      for (const initializer of constants.get(node.text) ?? []) visit(initializer);
    }
    ts.forEachChild(node, visit);
  };
  visit(table);
  return literals;
}
