import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { promptFilesInForce } from '../src/adapters/promptFiles.js';
import { compilePrompts, promptTable } from '../src/prompts.js';
import { prompts, shippedFiles } from './stageOn.js';

const check = '--- system ---\n{% for c in codes %}{{ c.code }}{% endfor %}\n--- user ---\n{{ before }} {{ after }}';

it('every prompt of the table ships, and nothing else but fragments', () => {
  const names = [...shippedFiles.keys()].filter((name) => !name.startsWith('fragments/'));
  expect(names.sort()).toEqual(Object.keys(promptTable).sort());
});

it('what a transcript says is never read as a template', () => {
  const rendered = prompts.render('check.meaning', {
    section: [],
    language: null,
    proposed: { segment: 1 },
    before: '{{ codes }}',
    after: '{% x %}',
    codes: [],
  });
  expect(rendered[1]?.content).toContain('{{ codes }}');
});

it.each([
  ['prompt_missing', 'grammar.repair', null],
  ['prompt_unknown', 'grammar.mend', 'x'],
  ['prompt_too_large', 'check.style', `${check}${'x'.repeat(33_000)}`],
  ['template_invalid', 'check.style', check.replace('{{ before }}', '{{ before | nope }}')],
  ['fragment_unknown', 'check.style', `${check}{% include 'nowhere' %}`],
  ['parts_differ', 'check.style', check.replace('--- system ---\n', '')],
  ['parts_differ', 'grammar.repair', '--- system ---\nx'],
  ['variable_unknown', 'check.style', `${check}{{ glossary }}`],
  ['variable_missing', 'check.style', check.replace('{{ after }}', '')],
])('%s: refused with its file', (code, name, text) => {
  const files = new Map(shippedFiles);
  if (text === null) files.delete(name);
  else files.set(name, text);
  const end = compilePrompts(files);
  expect(end.kind === 'refused' && end.faults.map((fault) => [fault.code, fault.file])).toEqual([[code, `${name}.liquid`]]);
});

it('a mounted folder replaces single files, and the hash of what is in force says so (A63, A107)', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'emend-prompts-'));
  try {
    await mkdir(path.join(folder, 'fragments'));
    await writeFile(path.join(folder, 'check.style.liquid'), check);
    await writeFile(path.join(folder, 'fragments', 'spoken.liquid'), 'Mine.');
    const end = compilePrompts(await promptFilesInForce(folder));
    if (end.kind === 'refused') throw new Error(JSON.stringify(end.faults));
    expect(end.prompts.hash).not.toBe(prompts.hash);
    const variables = { section: [], glossary: [], protected: [], language: null };
    expect(end.prompts.render('grammar.propose', variables)[0]?.content).toContain('Mine.');
    expect(prompts.render('grammar.propose', variables)[0]?.content).not.toContain('Mine.');
  } finally {
    await rm(folder, { recursive: true });
  }
});
