import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

// Bundles what runs inside the sandbox, each into one file: the Pi worker, and the canary of the self-test. The worker has to be
// small and to hold no way out: this script fails where its only import is not `node:net`, or where it grew.

const folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const pi = path.join(folder, 'node_modules', '@earendil-works');
const workerBytesMax = 32 * 1024;

/** What stands for pi-ai: the event stream that the agent loop needs, the original's own, and nothing that could reach a provider. */
const piAiStandIn = `
export { AssistantMessageEventStream, createAssistantMessageEventStream, EventStream } from ${JSON.stringify(path.join(pi, 'pi-ai/dist/utils/event-stream.js'))};
const refuse = () => { throw new Error('not part of a worker'); };
export const streamSimple = refuse;
export const validateToolArguments = refuse;
`;

const standIns = {
  name: 'stand-ins',
  setup(bundler) {
    bundler.onResolve({ filter: /^@earendil-works\/pi-ai$/ }, () => ({ path: 'pi-ai', namespace: 'stand-in' }));
    // The agent alone: the package's index drags in a harness with file access.
    bundler.onResolve({ filter: /^@earendil-works\/pi-agent-core$/ }, () => ({ path: path.join(pi, 'pi-agent-core/dist/agent.js') }));
    bundler.onLoad({ filter: /.*/, namespace: 'stand-in' }, () => ({ contents: piAiStandIn, resolveDir: pi }));
  },
};

async function bundle(source, target) {
  const result = await build({
    entryPoints: [path.join(folder, 'src', source)],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    minify: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'silent',
    plugins: [standIns],
  });
  const [output] = Object.values(result.metafile.outputs);
  return {
    target,
    bytes: result.outputFiles[0].contents,
    imports: output.imports.map((one) => one.path),
    inputs: Object.keys(result.metafile.inputs),
  };
}

function refuseUnfit({ target, bytes, imports, inputs }, allowed) {
  const unexpected = imports.filter((one) => !allowed.includes(one));
  if (unexpected.length > 0) throw new Error(`${target} imports ${unexpected.join(', ')}: only ${allowed.join(', ')} may be there`);
  if (bytes.length > workerBytesMax) throw new Error(`${target} has ${bytes.length} bytes: at most ${workerBytesMax}`);
  const provider = inputs.find((one) => /providers?[/.]|http|oauth|api-key/.test(path.basename(one)) || one.includes('/providers/'));
  if (provider !== undefined) throw new Error(`${target} contains ${provider}`);
}

const worker = await bundle('worker/main.ts', 'worker.cjs');
refuseUnfit(worker, ['node:net']);
const canary = await bundle('sandbox/canary.ts', 'canary.cjs');
refuseUnfit(canary, ['node:net', 'node:fs', 'node:child_process']);

mkdirSync(path.join(folder, 'dist'), { recursive: true });
for (const { target, bytes, imports } of [worker, canary]) {
  writeFileSync(path.join(folder, 'dist', target), bytes);
  process.stdout.write(`${target}: ${bytes.length} bytes, imports ${imports.join(', ')}\n`);
}
