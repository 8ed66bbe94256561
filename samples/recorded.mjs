// The recorded answers, and what ring 1 makes of one of them. Needs a build (npm run build).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalText, compileContract, observation } from '@emend/contracts';
import { usageUnsaid } from '@emend/model';
import { completionProtocol, ringOne } from '@emend/overseer';

/** The lines of one of the files beside this one. */
export const lines = (name) =>
  readFileSync(join(import.meta.dirname, name), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));

/** As the log holds it: the order of its members is a part of the prompt that shows it. */
export const contract = compileContract(JSON.parse(canonicalText(observation)));

const protocol = completionProtocol(contract);
const limits = { outputTokensMax: 512, generationMs: 60_000 };

/**
 * The turn that ring 1 makes of a recorded answer where no overseer repairs it, and the messages that it asked the overseer with:
 * null where it asks nothing.
 */
export async function throughRingOne({ output, finishReason }) {
  let asked = null;
  const model = modelOf(() => ({ kind: 'generated', text: output, finishReason, usage: usageUnsaid }));
  const repairModel = modelOf(({ messages }) => {
    asked = messages;
    return { kind: 'failed', code: 'provider_failed' };
  });
  const invocation = ringOne({ role: 'standard', model, repairModel, protocol, trace: () => undefined });
  const { turn } = await invocation.invoke({ invocation: 'sample', messages: [], limits, signal: new AbortController().signal });
  return { turn, asked };
}

function modelOf(generate) {
  const catalog = { digest: '0'.repeat(64), generation: 1 };
  const identity = { provider: 'recorded', model: 'recorded', executionAdapter: 'samples@1', catalog };
  return { identity, generate: async (request) => generate(request) };
}
