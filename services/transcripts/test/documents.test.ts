import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commonConfig, configTable } from '@emend/runtime';
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
import { disabledReasons, outcomes, refusals } from '../src/domain/activation.js';
import { ownFailures } from '../src/domain/runFailures.js';
import { transcriptsErrorCodes } from '../src/errors.js';
import { skipReasons } from '../src/handleTranscript.js';
import { promptFaults, promptTable } from '../src/prompts.js';
import { servingConfig } from '../src/serviceConfig.js';

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

## A transcript of the log

An attempt has the states of [a standard run](runs.md). What is done for one claim:

${table(
  ['step', 'what ends it'],
  [
    ['The segments, from the event or from the object that it names', 'an `object_…` of below, `segment_unusable`'],
    ['Every section through every stage', 'the class of the stage call that failed; never what becomes of single corrections'],
    ['The result, into the object store where the end has no room for it', '`result_too_large`, `result_refused`'],
    ['The end: report and body, or the class of the failure', 'another delivery ended the run before: what this one has is dropped'],
    ['The corrected transcript, from the stored end alone', 'nothing: whichever delivery finds the end without it writes the same bytes'],
  ],
)}

A source that is left as it is:

${table(['reason', 'meaning'], sentences(skipReasons))}

What ends a run by a word of this service. A call of a stage ends it with the class that [its code](model.md) has; a reply that was cut off, refused or no list of corrections with that class.

${table(
  ['code', 'class', 'meaning'],
  Object.entries(ownFailures).map(([name, row]) => [code(name), code(row.class), row.sentence]),
)}

## Activation

${table(
  ['outcome', '`activation` on /health', 'log line', 'the process'],
  Object.entries(outcomes).map(([name, { ok, logs, sentence }]) => [code(name), ok ? 'ok' : 'not ok', code(logs), sentence]),
)}

Disabled:

${table(['code', 'meaning'], sentences(disabledReasons))}

Refused, beside the codes of settings, prompts, catalogue and key:

${table(['code', 'meaning'], sentences(refusals))}
`;

it('the page of decision tables says what the code does', () => {
  if (process.env['EMEND_WRITE'] === '1') writeFileSync(file, page);
  expect(readFileSync(file, 'utf8')).toBe(page);
});

it('the README has every setting, every error and every reason to show nothing', () => {
  const readme = readFileSync(fileURLToPath(new URL('../README.md', import.meta.url)), 'utf8');
  expect(readme).toContain(configTable(transcriptsConfig));
  expect(readme).toContain(configTable({ ...commonConfig, ...servingConfig }));
  expect(readme).toContain(table(['code', 'meaning'], sentences(transcriptsErrorCodes)));
  expect(readme).toContain(table(['code', 'meaning'], sentences(nothingToShow)));
});
