#!/usr/bin/env node
import { ClientError } from '@emend/client';
import { ContractsError } from '@emend/contracts';
import { LogError } from '@emend/log';
import { ModelError } from '@emend/model';
import { OverseerError } from '@emend/overseer';
import { runProcess, runProgram } from '@emend/runtime';
import { correctCommand } from './commands/correct.js';
import { diffCommand } from './commands/diff.js';
import { usage } from './commands/out.js';
import { promptsCommand } from './commands/prompts.js';
import { settingsCommand } from './commands/settings.js';
import { submitCommand } from './commands/submit.js';
import { TranscriptsError, transcriptsErrorCodes } from './errors.js';
import { transcriptsLife } from './service.js';

const out = {
  say: (text: string): void => void process.stdout.write(`${text}\n`),
  complain: (text: string): void => void process.stderr.write(`${text}\n`),
  colour: process.stdout.isTTY,
};

await runProgram({
  program: 'emend-transcripts',
  usage,
  ownErrors: [TranscriptsError, ModelError, OverseerError, ClientError, ContractsError, LogError],
  codes: transcriptsErrorCodes,
  serve: () => runProcess(transcriptsLife(process.env)),
  commands: {
    correct: (args) => correctCommand(args, process.env, out),
    prompts: (args) => promptsCommand(args, process.env, out),
    submit: (args) => submitCommand(args, process.env, out),
    diff: (args) => diffCommand(args, process.env, out),
    settings: (args) => settingsCommand(args, process.env, out),
  },
});
