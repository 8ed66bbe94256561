// Makes some recorded answers again and compares them byte for byte. README.md says what the exit codes mean.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { modelPython, NoModel, systemPython } from './modelPython.mjs';

const SAME = 0;
const DIFFERENT = 1;
const NO_MODEL = 2;
const BUILD_FLAGS = '-DGGML_NATIVE=OFF -DLLAVA_BUILD=OFF';

const folder = dirname(fileURLToPath(import.meta.url));
const generator = join(folder, 'generate.py');

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const read = (file) => readFileSync(join(folder, file), 'utf8');
const jsonLines = (text) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

function stop(code, message) {
  console.error(message);
  process.exit(code);
}

function cacheFolder() {
  if (process.env.XDG_CACHE_HOME) return process.env.XDG_CACHE_HOME;
  return process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache');
}

/** What cannot be had ends this program with its own code. */
function orNoModel(make) {
  try {
    return make();
  } catch (error) {
    if (error instanceof NoModel) return stop(NO_MODEL, `Nothing was verified: ${error.message}.`);
    throw error;
  }
}

/** A Python with the model and its runner, outside the repository. EMEND_SAMPLES_VENV names one that exists already. */
function pythonWithModel() {
  const given = process.env.EMEND_SAMPLES_VENV;
  if (given !== undefined) return join(given, 'bin', 'python');
  return orNoModel(() =>
    modelPython({
      requirements: join(folder, 'requirements.txt'),
      folder: join(cacheFolder(), 'emend'),
      name: 'samples',
      buildFlags: BUILD_FLAGS,
      say: (line) => console.log(`${line}. The runner is compiled, which takes some minutes.`),
    }),
  );
}

/** A repair carries the key of the answer that it repairs: the tier tells them apart. */
const name = (tier, key) => `${tier} ${key}`;

const planned = (python) => requestsOf(python, [generator, 'plan'], 'The plan could not be made.');

/** What the services would ask about the recorded answers, from their own code, which must have been built. */
function askedByServices() {
  const built = ['packages/overseer', 'services/repair-agent', 'services/runner'].every((place) =>
    existsSync(join(folder, '..', place, 'dist')),
  );
  if (!built) return undefined;
  const programs = ['overseer-requests.mjs', 'escalation-requests.mjs'];
  return programs.flatMap((program) =>
    requestsOf(process.execPath, [join(folder, program)], `The requests of ${program} could not be made.`),
  );
}

function requestsOf(command, options, failure) {
  const made = spawnSync(command, options, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (made.status !== 0) stop(DIFFERENT, `${failure}\n${made.stderr}`);
  return jsonLines(made.stdout);
}

function answers(file) {
  return existsSync(join(folder, file)) ? jsonLines(read(file)) : [];
}

/** The same ones every time: one of each settings in turn, within settings in the order of the hash of their ids. */
function choose(recorded, count) {
  const groups = new Map();
  for (const answer of [...recorded].sort((a, b) => (sha256(a.id) < sha256(b.id) ? -1 : 1))) {
    groups.set(answer.settings, [...(groups.get(answer.settings) ?? []), answer]);
  }
  const queues = [...groups.keys()].sort().map((settings) => groups.get(settings));
  const chosen = [];
  for (let round = 0; chosen.length < Math.min(count, recorded.length); round += 1) {
    chosen.push(...queues.flatMap((queue) => queue.slice(round, round + 1)));
  }
  return chosen.slice(0, count);
}

function checkRequests(recorded, asked) {
  const wrong = recorded.filter((answer) => {
    const request = asked.get(name(answer.tier, answer.id));
    return request === undefined || request.promptHash !== answer.promptHash || request.settings !== answer.settings;
  });
  if (wrong.length > 0)
    stop(DIFFERENT, `These answers belong to no request as it stands now: ${wrong.map((answer) => answer.id).join(', ')}`);
  console.log(`${recorded.length} recorded answers: every prompt hash agrees with its prompt, note and contract.`);
}

function generate(python, request) {
  const options = { input: `${JSON.stringify(request)}\n`, encoding: 'utf8', maxBuffer: 1 << 28 };
  const run = spawnSync(python, [generator, 'run', '--requests', '-', '--out', '-'], options);
  if (run.error !== undefined || run.status === 3)
    stop(NO_MODEL, `The recorded model cannot be had here. ${run.error?.message ?? run.stderr.trim()}`);
  if (run.status !== 0) stop(DIFFERENT, `${request.key}: the generator failed.\n${run.stderr.trim()}`);
  return JSON.parse(run.stdout);
}

const count = Number(process.argv.slice(2).find((argument) => argument !== '--') ?? 5);
if (!Number.isInteger(count) || count < 0) stop(DIFFERENT, 'Usage: verify.mjs [how many answers]');

const python = orNoModel(systemPython);
const primary = answers('answers.jsonl');
let second = [...answers('overseer.jsonl'), ...answers('escalation.jsonl')];
const secondRequests = askedByServices();
if (secondRequests === undefined) {
  console.log(`${second.length} overseer and escalation answers are left out: their requests need a build.`);
  second = [];
}
const asked = new Map([...planned(python), ...(secondRequests ?? [])].map((request) => [name(request.tier, request.key), request]));
const recorded = [...primary, ...second];
checkRequests(recorded, asked);
if (count === 0) process.exit(SAME);

const withModel = pythonWithModel();
let different = 0;
for (const answer of choose(recorded, count)) {
  const again = generate(withModel, asked.get(name(answer.tier, answer.id)));
  const same = again.output === answer.output && again.finishReason === answer.finishReason;
  if (!same) different += 1;
  console.log(`${same ? 'same     ' : 'DIFFERENT'} ${name(answer.tier, answer.id)}  sha256 ${sha256(again.output).slice(0, 16)}`);
}
console.log(different === 0 ? 'All of them are the same, byte for byte.' : `${different} differ.`);
process.exit(different === 0 ? SAME : DIFFERENT);
