#!/usr/bin/env node
import { LedgerError } from '@emend/ledger';
import { LogError } from '@emend/log';
import { runProcess, runProgram } from '@emend/runtime';
import { exportCommand, usage } from './commands.js';
import { ExporterError, exporterErrorCodes } from './errors.js';
import { exporterLife } from './service.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const remark = (line: string): void => void process.stderr.write(`${line}\n`);

await runProgram({
  program: 'emend-exporter',
  usage,
  ownErrors: [ExporterError, LedgerError, LogError],
  codes: exporterErrorCodes,
  serve: () => runProcess(exporterLife(process.env)),
  commands: { export: (args) => exportCommand(args, { env: process.env, say, remark }) },
});
