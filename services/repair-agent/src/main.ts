#!/usr/bin/env node
import { runProcess, runProgram } from '@emend/runtime';
import { repairAgentLife } from './service.js';

await runProgram({ program: 'emend-repair-agent', usage: '[serve]', serve: () => runProcess(repairAgentLife(process.env)) });
