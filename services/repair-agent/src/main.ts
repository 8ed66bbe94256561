#!/usr/bin/env node
import { exitCodes, runProcess } from '@emend/runtime';
import { repairAgentLife } from './service.js';

const [command = 'serve'] = process.argv.slice(2);

if (command === 'serve') await runProcess(repairAgentLife(process.env));
process.stderr.write('usage: emend-repair-agent [serve]\n');
process.exitCode = exitCodes.badConfig;
