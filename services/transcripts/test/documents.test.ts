import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configTable } from '@emend/runtime';
import { expect, it } from 'vitest';
import { transcriptsConfig } from '../src/config.js';
import { factSentences, facts } from '../src/domain/correction.js';
import { findingCodes } from '../src/domain/findingCodes.js';
import { modelCheckNames, modelCheckNeeds, modelChecks } from '../src/domain/modelChecks.js';
import { moduleNames } from '../src/domain/moduleNames.js';
import { allChecks, modules } from '../src/domain/modules.js';
import { nothingToShow } from '../src/domain/nothingToShow.js';
import { readingFaults } from '../src/domain/reading/faults.js';
import { sectionLimits } from '../src/domain/sections.js';
import { transcriptsErrorCodes } from '../src/errors.js';
import { promptFaults, promptTable } from '../src/prompts.js';

const file = fileURLToPath(new URL('../../../docs/decision-tables/transcripts.md', import.meta.url));

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const code = (text: string): string => `\`${text}\``;
const sentences = (rows: Readonly<Record<string, string>>) => Object.entries(rows).map(([name, sentence]) => [code(name), sentence]);
const stagesOf = (id: string): string =>
  moduleNames.filter((name) => [...modules[name].checks.map((check) => check.id), ...modules[name].modelChecks].includes(id)).join(', ');

const page = `# What is said for and against a correction

\`services/transcripts\` holds these tables as code, and a test (\`services/transcripts/test/documents.test.ts\`) compares the two. What becomes of a proposal that was rejected is the engine's: [revision.md](revision.md).

A section has at most ${sectionLimits.segmentsMax} segments and ${sectionLimits.charactersMax} characters. It goes through the stages ${moduleNames.map(code).join(', ')}, in this order; without a glossary the first is left out.

## The applicability map

A check runs where the correction has every fact that it needs; else it says nothing. Checks of the text run first, in the order of this table.

${table(
  ['fact', 'meaning'],
  facts.map((fact) => [code(fact), factSentences[fact]]),
)}

${table(
  ['check', 'asks', 'needs', 'stages', 'approves where'],
  [
    ...allChecks.map(({ id, needs, sentence }) => [code(id), 'the text', needs.join(', '), stagesOf(id), sentence]),
    [
      code('duplicate'),
      'the text',
      'span, effect',
      moduleNames.join(', '),
      'No earlier correction of the same list, good by its text, makes the same change.',
    ],
    ...modelCheckNames.map((name) => [code(name), 'a model', modelCheckNeeds.join(', '), stagesOf(name), modelChecks[name].sentence]),
  ],
)}

## The codes

${table(
  ['code', 'remit', 'found in', 'what the model is told'],
  Object.entries(findingCodes).map(([name, { remit, by, sentence }]) => [
    code(name),
    remit,
    by === 'text' ? 'the text' : 'a decision',
    sentence,
  ]),
)}

## What a transcript file is refused for

${table(['code', 'expected'], sentences(readingFaults))}

## Prompts

${table(
  ['prompt', 'may show', 'has to show'],
  Object.entries(promptTable).map(([name, { offers, requires }]) => [code(name), offers.join(', '), requires.join(', ')]),
)}

A file that cannot be used is refused before the first call:

${table(['code', 'expected'], sentences(promptFaults))}
`;

it('the page of decision tables says what the code does', () => {
  if (process.env['EMEND_WRITE'] === '1') writeFileSync(file, page);
  expect(readFileSync(file, 'utf8')).toBe(page);
});

it('the README has every setting, every error and every reason to show nothing', () => {
  const readme = readFileSync(fileURLToPath(new URL('../README.md', import.meta.url)), 'utf8');
  expect(readme).toContain(configTable(transcriptsConfig));
  expect(readme).toContain(table(['code', 'meaning'], sentences(transcriptsErrorCodes)));
  expect(readme).toContain(table(['code', 'meaning'], sentences(nothingToShow)));
});
