import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CountingDoor } from './countingDoor.js';
import { type ModelProcess, startModelProcess } from './modelProcess.js';

/** The only id that the server calls its model by: that of samples/model.json. */
export const modelName = 'SmolLM2-135M-Instruct-Q4_1';

/** The context of the samples: room for a repair prompt and an answer of the shipped length. */
const sampleContext = 2_048;

/** A real small model behind an OpenAI-shaped endpoint: what a test of this suite needs to know of it. */
export interface ModelServer {
  /** The base URL, with `/v1`. The same for the whole life. */
  readonly url: string;
  /** The key that the server asks for; every other caller is refused with 401. */
  readonly keyFile: string;
  /** What has come by, also while the server was shut and started again. */
  readonly calls: Pick<CountingDoor, 'calls' | 'total'>;
  /** Kills the server: from here on its port refuses connections. */
  takeDown(): Promise<void>;
  bringUp(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the model and its server; resolves when it answers. `npm run test:model` has installed both. */
export async function startModelServer({ contextTokens = sampleContext }: { readonly contextTokens?: number } = {}): Promise<ModelServer> {
  const folder = await mkdtemp(join(tmpdir(), 'emend-model-'));
  const keyFile = join(folder, 'key');
  await writeFile(keyFile, randomBytes(16).toString('hex'), { mode: 0o600 });
  const door = new CountingDoor();
  let model: ModelProcess | null = null;
  const bringUp = async (): Promise<void> => {
    model = await startModelProcess({ contextTokens, keyFile });
    await door.open(model.origin);
  };
  const takeDown = async (): Promise<void> => {
    await door.shut();
    await model?.kill();
    model = null;
  };
  await bringUp();
  return {
    url: `${door.url}/v1`,
    keyFile,
    calls: door,
    takeDown,
    bringUp,
    stop: async () => {
      if (model !== null) await takeDown();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
