#!/usr/bin/env node
import { runProcess, runProgram } from '@emend/runtime';
import { judgmentsLife } from './service.js';

await runProgram({ program: 'emend-judgments', usage: '[serve]', serve: () => runProcess(judgmentsLife(process.env)) });
