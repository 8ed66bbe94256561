#!/usr/bin/env node
import { ModelError } from '@emend/model';
import { OverseerError } from '@emend/overseer';
import { runProcess, runProgram } from '@emend/runtime';
import { correctCommand } from './commands/correct.js';
import { usage } from './commands/out.js';
import { promptsCommand } from './commands/prompts.js';
import { settingsCommand } from './commands/settings.js';
import { TranscriptsError, transcriptsErrorCodes } from './errors.js';
import { transcriptsLife } from './service.js';

const out = { say: (text: string): void => void process.stdout.write(`${text}\n`), colour: process.stdout.isTTY };

await runProgram({
  program: 'emend-transcripts',
  usage,
  ownErrors: [TranscriptsError, ModelError, OverseerError],
  codes: transcriptsErrorCodes,
  serve: () => runProcess(transcriptsLife(process.env)),
  commands: {
    correct: (args) => correctCommand(args, process.env, out),
    prompts: (args) => promptsCommand(args, process.env, out),
    settings: (args) => settingsCommand(args, process.env, out),
  },
});
