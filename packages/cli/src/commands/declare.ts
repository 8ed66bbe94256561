import { join } from 'node:path';
import { Producer } from '@emend/client';
import { declare } from '../declare/declare.js';
import { readDeclarations } from '../declare/folder.js';
import type { PlanStep } from '../declare/plan.js';
import { exitCodes } from '../exitCodes.js';
import { withBroker } from '../stack/brokerUrl.js';
import { findHome } from '../stack/home.js';
import type { CommandContext } from './context.js';

/** Writes contracts, agents and policies from folders of files, after showing what that would change. */
export async function declareCommand(
  { env, voice }: CommandContext,
  folders: readonly string[],
  options: { readonly dryRun?: boolean; readonly producer: string },
): Promise<number> {
  const declarations = await readDeclarations([join(findHome(env), 'deploy', 'declarations'), ...folders]);
  return withBroker(env, async ({ log }) => {
    const declared = await declare({
      log,
      producer: new Producer({ log, producer: options.producer }),
      declarations,
      onPlan: (plan) => {
        for (const step of plan) voice.say(stepText(step));
        return options.dryRun !== true;
      },
    });
    voice.result(
      { dryRun: options.dryRun ?? false, ...declared },
      summary(declared.plan, declared.kind === 'refused', options.dryRun ?? false),
    );
    return declared.kind === 'refused' ? exitCodes.refused : exitCodes.ok;
  });
}

const marks = { new: '+', same: '=', differs: '!', gap: '?' } as const;
const stepText = ({ what, name, state }: PlanStep): string => `${marks[state]} ${what} ${name}`;

function summary(plan: readonly PlanStep[], refused: boolean, dryRun: boolean): string {
  const fresh = plan.filter((step) => step.state === 'new').length;
  if (refused) return 'nothing written: ! is bound to other content for ever and needs a new version; ? leaves out the version before it';
  return dryRun ? `${fresh} would be declared` : `${fresh} declared, ${plan.length - fresh} were there`;
}
