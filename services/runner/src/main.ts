#!/usr/bin/env node
import { runProcess, runProgram } from '@emend/runtime';
import { runnerLife } from './service.js';

await runProgram({ program: 'emend-runner', usage: '[serve]', serve: () => runProcess(runnerLife(process.env)) });
