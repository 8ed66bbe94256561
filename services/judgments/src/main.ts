#!/usr/bin/env node
import { runProcess } from '@emend/runtime';
import { judgmentsLife } from './service.js';

await runProcess(judgmentsLife(process.env));
