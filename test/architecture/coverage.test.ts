import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './cruise.js';
import { type NamedTest, namedTestsIn, testsIn } from './namedTests.js';

/** A cited test: its file, and its title behind the blocks it stands in, or the name of one case of its table. */
interface Citation {
  readonly file: string;
  readonly path: readonly string[];
}

interface Row {
  readonly items: readonly string[];
  readonly text: string;
  readonly citations: readonly Citation[];
  /** `issue 4: why` and `not tested: why`. */
  readonly excuses: readonly string[];
}

const rows = readFileSync(path.join(root, 'docs', 'coverage.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| [TAOIF]\d/.test(line))
  .map(rowOf);
const [broken, covered] = [rows.filter(({ text }) => isBroken(text)), rows.filter(({ text }) => !isBroken(text))];

/** Shorter parts of a title would fit too many. */
const literalPartMin = 12;

const numbered = (letter: string, last: number): readonly string[] => Array.from({ length: last }, (_, index) => `${letter}${index + 1}`);
const checklist = [
  ...numbered('T', 129),
  ...numbered('A', 141),
  ...numbered('O', 42),
  ...numbered('I', 7),
  // The numbers of the flows have gaps.
  ...'01 02 04 05 07 08 09 10 12 13 15 16 17 18 20 21 22 23 25 27 28 29 30 31 33 34 35 36 37 38 40 41 43 44'.split(' ').map((n) => `F${n}`),
];

describe('the table of coverage', () => {
  test('has every item of the checklist exactly once', () => {
    expect(covered.flatMap(({ items }) => items).sort()).toEqual([...checklist].sort());
  });

  test('says of every item which test holds it, or why none does', () => {
    expect(rows.filter(({ citations, excuses }) => citations.length + excuses.length === 0).map(({ text }) => text)).toEqual([]);
    const wellSaid = /^(issue [345]|not tested): \S.{9,}$/;
    expect(rows.flatMap(({ excuses }) => excuses).filter((excuse) => !wellSaid.test(excuse))).toEqual([]);
  });

  test('cites only tests that exist, under the title they have', () => {
    expect(citedFaults((citation) => testsOf(citation).length > 0)).toEqual([]);
  });

  test('cites no test that is skipped', () => {
    expect(citedFaults((citation) => testsOf(citation).every(({ skipped }) => !skipped))).toEqual([]);
  });

  test('cites a file that is no test only where a test of its package imports it', () => {
    expect(citedFaults(({ file }) => file.endsWith('.test.ts') || isSuite(file))).toEqual([]);
  });

  test('lists ten rules that were broken on purpose, each with the test that failed', () => {
    expect(broken).toHaveLength(10);
    expect(broken.filter(({ citations, excuses }) => citations.length === 0 || excuses.length > 0)).toEqual([]);
  });
});

describe('the reader of tests', () => {
  const read = testsIn(`
    const table = [['a case', 1]];
    const rows = { first_code: 1 };
    describe('a block', () => {
      it('a rule', () => {});
      it.each([...table, ['another', 2]])('%s holds', () => {});
      test.each(Object.entries(rows))('%s', () => {});
      test(\`of \${n} it stores one\`, () => {});
    });
    // skipped: part of the text that is read here, never run
    describe.skipIf(true)('left out', () => { it('with it', () => {}); });
    other('no test', () => {});
  `);
  const of = (title: string): NamedTest | undefined => read.find((one) => one.title === title);

  test('finds blocks, tests, tables and their cases', () => {
    const titles = ['a block', 'a rule', '%s holds', '%s', 'of ${…} it stores one', 'left out', 'with it'];
    expect(read.map(({ title }) => title)).toEqual(titles);
    expect([...(of('%s holds')?.cases ?? [])]).toEqual(['a case', 'another']);
    expect([...(of('%s')?.cases ?? [])]).toContain('first_code');
  });

  test('knows a test by its title, its case and the blocks around it, and no other', () => {
    const named = (...names: readonly string[]) => testsOf({ file: '', path: names }, read).map(({ title }) => title);
    expect(named('a block', 'a rule')).toEqual(['a rule']);
    expect(named('a block', '%s holds', 'another')).toEqual(['%s holds']);
    expect(named('it stores one')).toEqual(['of ${…} it stores one']);
    for (const wrong of [['a rul'], ['left out', 'a rule'], ['a rule', 'another'], ['a block', 'a third case'], ['no test']]) {
      expect(named(...wrong)).toEqual([]);
    }
  });

  test('knows what is skipped, with all that stands in it', () => {
    expect(read.filter(({ skipped }) => skipped).map(({ title }) => title)).toEqual(['left out', 'with it']);
  });
});

/** `| T1, T3–T5 | the rule | `file`: block › title<br>issue 4: why |`; the second table has one cell more. */
function rowOf(line: string): Row {
  const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
  const entries = (cells.at(-2) ?? '').split('<br>').filter((entry) => entry !== '');
  const cited = entries.map((entry) => /^`([^`]+\.ts)`: (.+)$/.exec(entry));
  return {
    items: (cells[1] ?? '').split(', ').flatMap(itemsOf),
    text: line,
    citations: cited.flatMap((match) => (match ? [{ file: match[1] ?? '', path: (match[2] ?? '').split(' › ') }] : [])),
    excuses: entries.filter((_, index) => cited[index] === null),
  };
}

/** `T18–T24` is seven items. */
function itemsOf(range: string): readonly string[] {
  const match = /^([TAOIF])(\d+)–\1(\d+)$/.exec(range);
  if (match === null) return [range];
  const [letter, first, last] = [match[1] ?? '', Number(match[2]), Number(match[3])];
  return Array.from({ length: last - first + 1 }, (_, index) => `${letter}${first + index}`);
}

function isBroken(line: string): boolean {
  return line.split(/(?<!\\)\|/).length === 6;
}

/** The tests that a citation stands for: the last name is theirs or one of their cases, the names before it are of blocks around them. */
function testsOf({ file, path: names }: Citation, tests: readonly NamedTest[] = namedTestsIn(file)): readonly NamedTest[] {
  const [own = '', outer] = [names.at(-1), names.slice(0, -1)];
  return tests.filter(
    ({ title, within, cases }) =>
      (cases.has(own) || isTitle(own, title)) && outer.every((name) => [...within, title].some((around) => isTitle(name, around))),
  );
}

/** A title with placeholders may be named by a literal part of it. */
function isTitle(name: string, title: string): boolean {
  const isTemplate = /%[sijo]|\$\w|\$\{…\}/.test(title);
  return title === name || (isTemplate && name.length >= literalPartMin && title.includes(name));
}

function citedFaults(holds: (citation: Citation) => boolean): readonly string[] {
  const citations = rows.flatMap((row) => row.citations);
  expect(citations.length).toBeGreaterThan(100);
  return citations.filter((citation) => !holds(citation)).map(({ file, path: names }) => `${file}: ${names.join(' › ')}`);
}

/** A suite that several tests run, as every port has one: some test reaches it by imports. */
function isSuite(file: string): boolean {
  const folder = /^(.*?\/test)\//.exec(file)?.[1] ?? '';
  const stem = path.basename(file, '.ts');
  const importers = importersOf(folder, stem);
  return importers.some((importer) => importer.endsWith('.test.ts') || isSuite(importer));
}

function importersOf(folder: string, stem: string): readonly string[] {
  return filesUnder(folder).filter((candidate) =>
    new RegExp(`from '[./\\w]*\\b${stem}\\.js'`).test(readFileSync(path.join(root, candidate), 'utf8')),
  );
}

function filesUnder(folder: string): readonly string[] {
  if (!existsSync(path.join(root, folder))) return [];
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.posix.join(folder, name));
}
