import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './cruise.js';
import { sourceFiles } from './sourceFiles.js';
import { linesMax, longFiles, type SourceFile, sourceRules } from './sourceRules.js';

const sources: readonly SourceFile[] = sourceFiles().map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));

function findings(id: string, source: SourceFile): readonly string[] {
  const rule = sourceRules.find((candidate) => candidate.id === id);
  if (rule === undefined) throw new Error(`no rule ${id}`);
  return rule.appliesTo(source.file) ? rule.find(source) : [];
}

const pureFile = 'services/coordinator/src/domain/decide.ts';
const testFile = 'packages/log/test/append.test.ts';

/** A rule that finds nothing must be seen to find something: what breaks it, and its nearest neighbour that does not. */
const planted: readonly { readonly id: string; readonly broken: SourceFile; readonly kept: SourceFile }[] = [
  ...['utils', 'common', 'helpers', 'types', 'manager', 'runManager'].map((name) => ({
    id: 'named-after-its-idea',
    broken: { file: `packages/log/src/${name}.ts`, text: '' },
    kept: { file: 'packages/log/src/eventTypes.ts', text: '' },
  })),
  {
    id: 'named-after-its-idea',
    broken: { file: 'packages/log/src/common/a.ts', text: '' },
    kept: { file: 'packages/log/src/memory/a.ts', text: '' },
  },
  {
    id: 'camel-case',
    broken: { file: 'packages/log/src/Big-Name.ts', text: '' },
    kept: { file: 'packages/log/src/bigName.test.ts', text: '' },
  },
  ...['Date.now()', 'new Date()', 'Math.random()', 'process.env.HOME', 'randomUUID()', 'setTimeout(f, 1)', 'performance.now()'].map(
    (call) => ({
      id: 'pure-code-takes-arguments',
      broken: { file: pureFile, text: `const a = ${call};` },
      kept: { file: pureFile, text: `// never ${call}\nconst a = new Date(timeMs);` },
    }),
  ),
  {
    id: 'one-idea-per-file',
    broken: { file: 'packages/log/src/a.ts', text: '\n'.repeat(linesMax + 1) },
    kept: { file: 'packages/log/src/a.ts', text: '\n'.repeat(linesMax) },
  },
  {
    id: 'nothing-unfinished',
    broken: { file: 'packages/log/src/a.ts', text: `// ${'TO' + 'DO'}: later` },
    kept: { file: 'packages/log/src/a.ts', text: '// to do' },
  },
  { id: 'no-focused-test', broken: { file: testFile, text: 'test.only(f)' }, kept: { file: testFile, text: "test('test.only')" } },
  {
    id: 'skipped-with-a-reason',
    broken: { file: testFile, text: 'test.skipIf(x)(f)' },
    kept: { file: testFile, text: '// skipped: needs Docker\ntest.skipIf(x)(f)' },
  },
];

describe('the source rules', () => {
  test.each(planted)('$id finds $broken.file $broken.text', ({ id, broken, kept }) => {
    expect(findings(id, broken)).not.toEqual([]);
    expect(findings(id, kept)).toEqual([]);
  });

  test('are all proven', () => {
    expect([...new Set(planted.map(({ id }) => id))].sort()).toEqual(sourceRules.map(({ id }) => id).sort());
  });

  test.each(sourceRules)('$id is kept: $sentence', ({ id }) => {
    const broken = sources.flatMap((source) => findings(id, source).map((found) => `${source.file}: ${found}`));
    expect(broken).toEqual([]);
  });

  test('saw at least sixty files, pure ones among them', () => {
    expect(sources.length).toBeGreaterThanOrEqual(60);
    expect(sources.filter(({ file }) => file.startsWith('packages/contracts/src/')).length).toBeGreaterThanOrEqual(5);
  });

  test('list no long file that is gone or has become short', () => {
    const needed = sources.filter(({ text }) => text.split('\n').length - 1 > linesMax).map(({ file }) => file);
    expect(Object.keys(longFiles).filter((file) => !needed.includes(file))).toEqual([]);
  });
});
