#!/usr/bin/env node
import { describeError, runProcess } from '@emend/runtime';
import { explainCommand, scanCommand } from './commands.js';
import { coordinatorLife } from './service.js';

const [command = 'serve', ...args] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

try {
  if (command === 'serve') await runProcess(coordinatorLife(process.env));
  else if (command === 'explain') process.exitCode = await explainCommand(args, process.env, say);
  else if (command === 'scan') process.exitCode = await scanCommand(args, process.env, say);
  else {
    process.stderr.write('usage: emend-coordinator serve | explain <run> | scan --policy ID@V [--dry-run]\n');
    process.exitCode = 2;
  }
} catch (error) {
  const { error: name, code } = describeError(error);
  process.stderr.write(`emend-coordinator: ${code ?? name}\n`);
  process.exitCode = 1;
}
