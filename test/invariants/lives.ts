import { openSandbox, type OpenedSandbox } from '@emend/agents';
import { coordinatorLife } from '@emend/coordinator';
import { exporterLife } from '@emend/exporter';
import { judgmentsLife } from '@emend/judgments';
import { projectorLife } from '@emend/projector';
import { repairAgentLife } from '@emend/repair-agent';
import { runnerLife } from '@emend/runner';
import type { LifeOf } from '../journeys/livingServices.js';
import { echoingWorker } from '../support/echoingWorker.js';
import { withoutSandbox } from '../support/sandboxOfMachine.js';

const digests = { command: 'c'.repeat(64), filter: 'd'.repeat(64), node: 'e'.repeat(64), worker: 'f'.repeat(64) };
const honestWorker = (): Promise<OpenedSandbox> => Promise.resolve({ kind: 'ready', sandbox: { ...echoingWorker, digests } });

/** The sandbox of this machine. Where it has none, an honest worker in this process: what is claimed here is not about sandboxes. */
const open = withoutSandbox ? honestWorker : openSandbox;

export const runner: LifeOf = (env) => runnerLife(env, { open });
/** One that gives up its calls as soon as it is told to stop. */
export const hastyRunner: LifeOf = (env) => runnerLife(env, { open, drainMaxMs: 1 });
export const repairAgent: LifeOf = (env) => repairAgentLife(env, { open });
export const coordinator: LifeOf = (env) => coordinatorLife(env);
export const projector: LifeOf = (env) => projectorLife(env);
export const exporter: LifeOf = (env) => exporterLife(env);
export const judgments: LifeOf = (env) => judgmentsLife(env);
