import type { DemoJudgment } from './judgments.js';
import type { Samples } from './samples.js';

export interface DemoOptions {
  /** The root of the repository. */
  readonly root: string;
  /** Everything the demo writes. It is emptied first, unless a server is alive in it. */
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly samples: Samples;
  readonly judgments: readonly DemoJudgment[];
  readonly say: (line: string) => void;
}
