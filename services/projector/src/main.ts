#!/usr/bin/env node
import { LedgerError } from '@emend/ledger';
import { LogError } from '@emend/log';
import { runProcess, runProgram } from '@emend/runtime';
import { projectorCodes } from './codes.js';
import { rebuildHere } from './rebuildHere.js';
import { projectorLife } from './service.js';

await runProgram({
  program: 'emend-projector',
  usage: '[serve | rebuild [--json]]',
  ownErrors: [LedgerError, LogError],
  codes: projectorCodes,
  serve: () => runProcess(projectorLife(process.env)),
  commands: { rebuild: rebuildHere },
});
