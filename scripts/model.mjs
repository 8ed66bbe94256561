import path from 'node:path';
import { modelPython, NoModel } from '../samples/modelPython.mjs';
import { lastLines, root, run, say, StepError } from './step.mjs';

/** The exit code that tells a caller: nothing was tested, since the model cannot be had here. The samples use the same one. */
const noModel = 2;

const suite = path.join(root, 'test', 'model');

/** Brings the model and its server into `folder`, and sees that it is the recorded model. Returns the environment of the suite. */
export async function bringModel({ folder = path.join(root, '.emend', 'model') } = {}) {
  const python = install(folder);
  const checked = await run(python, [path.join(suite, 'server.py'), '--check']);
  if (checked.code !== 0) {
    say(lastLines(checked.output, 20));
    throw unavailable('the model is not the pinned one, or its server does not load, see above');
  }
  say('model: ready');
  return { EMEND_MODEL_PYTHON: python };
}

function install(folder) {
  try {
    return modelPython({
      requirements: path.join(suite, 'requirements.txt'),
      folder,
      name: 'server',
      say: (line) => say(`model: ${line} (220 MB on disk)`),
    });
  } catch (cause) {
    if (cause instanceof NoModel) throw unavailable(`${cause.message}; no test ran`, cause);
    throw cause;
  }
}

function unavailable(failed, cause) {
  const todo = 'Python 3.11 or newer with venv, and a way to its package index; delete .emend/model to install again';
  return new StepError({ step: 'model', failed, todo, cause, exitCode: noModel });
}
