#!/usr/bin/env node
import { LogError } from '@emend/log';
import { runProcess, runProgram } from '@emend/runtime';
import { explainCommand, scanCommand, usage } from './commands.js';
import { coordinatorLife } from './service.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

await runProgram({
  program: 'emend-coordinator',
  usage,
  ownErrors: [LogError],
  serve: () => runProcess(coordinatorLife(process.env)),
  commands: {
    explain: (args) => explainCommand(args, process.env, say),
    scan: (args) => scanCommand(args, process.env, say),
  },
});
