import { coordinatorLife } from '@emend/coordinator';
import { exporterLife } from '@emend/exporter';
import { judgmentsLife } from '@emend/judgments';
import { projectorLife } from '@emend/projector';
import { repairAgentLife } from '@emend/repair-agent';
import { type ExitCode, Life, type LifeOptions } from '@emend/runtime';

/** A service as its own door hands it out. Each has settings of its own type; a life of any of them is run and stopped alike. */
export type LifeOf = (env: NodeJS.ProcessEnv) => Pick<LifeOptions<never>, 'name' | 'env'>;

/** Services in this process, each with a connection and a log of its own. */
export interface LivingServices {
  /** Every line that any of them logged. */
  readonly lines: readonly string[];
  /** What each says of its metrics and its health, as one text. */
  told(): Promise<string>;
  stop(): Promise<readonly ExitCode[]>;
}

/** Those that hold no key and start no process. */
export const bookkeepers = [coordinatorLife, judgmentsLife, projectorLife, exporterLife] as const;

/** Starts all five, or those that are named, and resolves when they are ready. */
export async function startServices(
  env: Readonly<Record<string, string>>,
  chosen: readonly LifeOf[] = [...bookkeepers, repairAgentLife],
): Promise<LivingServices> {
  const lines: string[] = [];
  const ports: number[] = [];
  const lives = chosen.map((lifeOf) => {
    let ready = (): void => undefined;
    const isReady = new Promise<void>((resolve) => {
      ready = resolve;
    });
    const write = (line: string): void => {
      lines.push(line);
      const said = JSON.parse(line) as { readonly event?: string; readonly port?: number };
      if (said.event === 'http.listening' && said.port !== undefined) ports.push(said.port);
      if (said.event === 'process.ready') ready();
    };
    const options = lifeOf({ ...env, EMEND_HTTP_PORT: '0', EMEND_LOG_LEVEL: 'debug' });
    // Each service has settings of its own type; a life of any of them is run and stopped alike.
    const life = new Life({ ...options, logDestination: { write } } as never) as Pick<Life<never>, 'run' | 'stop'>;
    return { life, ended: life.run(), isReady };
  });
  const endedEarly = (code: ExitCode): never => {
    throw new Error(`exit code ${code}: ${lines.slice(-3).join('')}`);
  };
  await Promise.all(lives.map(({ isReady, ended }) => Promise.race([isReady, ended.then(endedEarly)])));
  return {
    lines,
    told: async () => {
      const pages = ports.flatMap((port) => ['/metrics', '/health'].map((page) => `http://127.0.0.1:${port}${page}`));
      return (await Promise.all(pages.map(async (page) => (await fetch(page)).text()))).join('\n');
    },
    stop: () => {
      for (const { life } of lives) life.stop('test');
      return Promise.all(lives.map(({ ended }) => ended));
    },
  };
}
