import { compileContract, parseStrictJson } from '@emend/contracts';
import type { Assessment, CallPort } from '@emend/revision';
import type { CheckContext } from './domain/checks/check.js';
import { changeOf } from './domain/correction.js';
import type { CorrectionValidator } from './domain/deterministicChain.js';
import { decisionSchema, type ModelCheckName, modelCheckNames, modelCheckNeeds } from './domain/modelChecks.js';
import type { Prompts } from './prompts.js';
import { checkVariables } from './domain/promptVariables.js';

const contracts = Object.fromEntries(
  modelCheckNames.map((name) => [
    name,
    compileContract({
      id: `emend.transcripts.decision.${name}`,
      version: 1,
      schema: decisionSchema(name),
      promptDescription: 'A verdict, and with a rejection its code and an explanation.',
    }),
  ]),
) as Readonly<Record<ModelCheckName, ReturnType<typeof compileContract>>>;

export interface DecisionDeps {
  readonly prompts: Prompts;
  readonly call: CallPort;
  readonly profile: string;
}

/** A check that asks a model, by a decision of its own contract. Whatever keeps the decision from being had is `unavailable` (A78, A81). */
export function modelValidator(name: ModelCheckName, { prompts, call, profile }: DecisionDeps, context: CheckContext): CorrectionValidator {
  return {
    id: name,
    kind: 'model_backed',
    needs: modelCheckNeeds,
    async assess({ proposal }, signal) {
      const change = changeOf(context.section, proposal);
      const messages = prompts.render(`check.${name}`, checkVariables(name, change, context));
      const answer = await call({ messages, schema: contracts[name].schema, profile, signal });
      return answer.kind === 'failed' ? { kind: 'unavailable', code: answer.code } : decisionIn(name, answer.text);
    },
  };
}

function decisionIn(name: ModelCheckName, text: string): Assessment {
  const parsed = parseStrictJson(text);
  if (parsed.kind === 'refused') return { kind: 'unavailable', code: 'decision_not_json' };
  if (contracts[name].check(parsed.value).kind === 'invalid') return { kind: 'unavailable', code: 'decision_breaks_contract' };
  const decision = parsed.value as unknown as Decision; // the contract has just said so
  if (decision.verdict === 'approve') return { kind: 'approved' };
  return { kind: 'findings', findings: [{ code: decision.code, explanation: decision.explanation }] };
}

type Decision = { readonly verdict: 'approve' } | { readonly verdict: 'reject'; readonly code: string; readonly explanation: string };
