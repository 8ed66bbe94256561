import { processOf, readDefinitions, type ServiceName, type ServiceProcess, startService } from '@emend/cli';
import type { Definitions } from '@emend/log';

/** What a killed process held in hand comes back after this long. */
export const ackWaitSeconds = 3;

/** What the broker remembers of message ids is gone after this long: nothing of ours may rest on it. */
export const dedupeWindowSeconds = 1;

/** The shipped definitions with a short ack wait and dedupe window, so that a test need not wait minutes for their end. */
export async function impatientDefinitions(home: string): Promise<Definitions> {
  const shipped = await readDefinitions(home);
  return {
    ...shipped,
    streams: shipped.streams.map((stream) => ({ ...stream, duplicateWindowSeconds: dedupeWindowSeconds })),
    durables: shipped.durables.map((durable) => ({ ...durable, ackWaitSeconds })),
  };
}

const lookAgainMs = 20;

export interface HerdOptions {
  readonly home: string;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly url: string;
  /** Settings by member name. A member is a service, or one of its replicas: `repair-agent/2`. */
  readonly settings: Readonly<Record<string, NodeJS.ProcessEnv>>;
}

/** Services as processes that can be killed and started again, each on its own. */
export class Herd {
  readonly #members = new Map<string, ServiceProcess>();
  #endedByThemselves = 0;
  #stopped = false;

  constructor(private readonly options: HerdOptions) {}

  async start(...members: readonly string[]): Promise<void> {
    for (const member of members) this.#members.set(member, this.#spawn(member));
    await this.ready();
  }

  /** Kills without warning and starts again at once. Resolves when the new process has been started, not when it is ready. */
  async kill9(member: string): Promise<void> {
    const killed = this.#members.get(member);
    this.#members.delete(member);
    await killed?.kill9();
    this.#members.set(member, this.#spawn(member));
  }

  /** How often a member ended unasked and was started again, as a supervisor does: say, its broker went away while it started. */
  get endedByThemselves(): number {
    return this.#endedByThemselves;
  }

  signal(member: string, signal: NodeJS.Signals): void {
    const pid = this.pidOf(member);
    if (pid) process.kill(pid, signal);
  }

  /** 0 for one that does not run. */
  pidOf(member: string): number {
    return this.#members.get(member)?.pid ?? 0;
  }

  async ready(): Promise<void> {
    await Promise.all([...this.#members.keys()].map((member) => this.#readyOf(member)));
  }

  /** Resolves when one of them is ready, or has been. */
  async oneReady(members: readonly string[]): Promise<void> {
    await Promise.race(members.map((member) => this.#readyOf(member)));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const members = [...this.#members.values()];
    this.#members.clear();
    await Promise.all(members.map((member) => member.stop()));
  }

  /** Of the process that a member is in the end; after a stop nobody is waited for. */
  async #readyOf(member: string): Promise<void> {
    while (!this.#stopped) {
      const process = this.#members.get(member);
      if (process && (await process.ready.then(() => true).catch(() => false))) return;
      await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
    }
  }

  #spawn(member: string): ServiceProcess {
    const { home, dataDir, env, url, settings } = this.options;
    const service = member.split('/')[0] as ServiceName;
    const own = settings[member];
    const started = startService({
      home,
      service,
      ...processOf({ dataDir, env, ...(own ? { settings: { [service]: own } } : {}) }, service, url),
    });
    void started.ended.then(() => {
      if (this.#members.get(member) !== started) return;
      this.#endedByThemselves += 1;
      this.#members.set(member, this.#spawn(member));
    });
    return started;
  }
}

/** Small reproducible randomness (mulberry32): a failing run can be repeated from its seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
