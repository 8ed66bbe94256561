import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { type Frame, FrameReader } from './natsFrames.js';

export interface WireOptions {
  /** Of the broker, which may be away for a while. */
  readonly upstream: string;
  /** How the subjects of claims begin, and those of what ends them. */
  readonly claims: string;
  readonly ends: string;
  /** One acknowledgement of a message in so many is lost. */
  readonly loseAckEvery: number;
  /** One answer to an append in so many is lost: the event is stored, and its writer does not hear of it. */
  readonly loseAnswerEvery: number;
  /** One claim in so many is held back, and with it everything that its connection says meanwhile. */
  readonly holdClaimEvery: number;
  readonly holdMs: number;
}

/** What the wire has done to those who use it. */
export interface WireCounts {
  acksLost: number;
  answersLost: number;
  claimsHeld: number;
}

/** What several wires have done together. */
export function sumOf(counts: readonly WireCounts[]): WireCounts {
  const sum = (one: keyof WireCounts): number => counts.reduce((all, count) => all + count[one], 0);
  return { acksLost: sum('acksLost'), answersLost: sum('answersLost'), claimsHeld: sum('claimsHeld') };
}

/** What a process writes at its start to see whether it may: no claim of anything. */
const isProbe = ({ subject }: Frame): boolean => subject.endsWith('.probe');
const isAck = ({ verb, subject, payload }: Frame): boolean =>
  verb === 'PUB' && subject.startsWith('$JS.ACK.') && payload.toString('latin1') === '+ACK';
const isAppendTo = (place: string, frame: Frame): boolean => frame.verb === 'HPUB' && frame.subject.startsWith(place) && !isProbe(frame);

/** A way to the broker that loses and delays, as a bad network does: order stays, and nothing is made up. */
export class UnkindWire {
  readonly counts: WireCounts = { acksLost: 0, answersLost: 0, claimsHeld: 0 };
  readonly #connections = new Set<WireConnection>();
  readonly #server = createServer((client) => this.#accept(client));
  readonly #seen = { acks: 0, appends: 0, claims: 0 };
  readonly #claimsSaid: string[] = [];
  #kind = false;

  private constructor(private readonly options: WireOptions) {}

  static async open(options: WireOptions): Promise<UnkindWire> {
    const wire = new UnkindWire(options);
    await new Promise<void>((resolve) => wire.#server.listen(0, '127.0.0.1', resolve));
    return wire;
  }

  get url(): string {
    return `nats://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Whether somebody's words are held back just now. */
  get standsStill(): boolean {
    return [...this.#connections].some(({ isHeld }) => isHeld);
  }

  /** Whether a text stands in a claim that went this way: whose claim it is. */
  hasClaimed(text: string): boolean {
    return this.#claimsSaid.some((said) => said.includes(text));
  }

  /** From now on everything goes through, and what was held back goes at once. */
  becomeKind(): void {
    this.#kind = true;
    for (const connection of this.#connections) connection.release();
  }

  async close(): Promise<void> {
    for (const connection of this.#connections) connection.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(client: Socket): void {
    const { hostname, port } = new URL(this.options.upstream);
    const connection: WireConnection = new WireConnection(client, connect(Number(port), hostname), (frame) =>
      this.#judge(frame, connection),
    );
    this.#connections.add(connection);
    client.once('close', () => this.#connections.delete(connection));
  }

  /** What becomes of a frame on its way to the broker. */
  #judge(frame: Frame, connection: WireConnection): 'pass' | 'lose' {
    const { claims, ends, loseAckEvery, loseAnswerEvery, holdClaimEvery, holdMs } = this.options;
    const isClaim = isAppendTo(claims, frame);
    if (isClaim) this.#claimsSaid.push(frame.payload.toString('utf8'));
    if (this.#kind) return 'pass';
    if (isAck(frame) && (this.#seen.acks += 1) % loseAckEvery === 0) {
      this.counts.acksLost += 1;
      return 'lose';
    }
    if ((isClaim || isAppendTo(ends, frame)) && frame.reply !== '' && (this.#seen.appends += 1) % loseAnswerEvery === 0) {
      this.counts.answersLost += 1;
      connection.loseAnswerTo(frame.reply);
    }
    if (isClaim && (this.#seen.claims += 1) % holdClaimEvery === 0) {
      this.counts.claimsHeld += 1;
      connection.holdFor(holdMs);
    }
    return 'pass';
  }
}

/** One connection of a client, and the one to the broker behind it. */
class WireConnection {
  readonly #held: Buffer[] = [];
  readonly #unanswered = new Set<string>();
  #holding: NodeJS.Timeout | undefined;
  #clientEnded = false;

  constructor(
    private readonly client: Socket,
    private readonly broker: Socket,
    judge: (frame: Frame) => 'pass' | 'lose',
  ) {
    const fromClient = new FrameReader();
    const fromBroker = new FrameReader();
    client.on('data', (chunk: Buffer) => {
      for (const frame of fromClient.push(chunk)) if (judge(frame) === 'pass') this.#forward(frame.bytes);
    });
    broker.on('data', (chunk: Buffer) => {
      for (const frame of fromBroker.push(chunk)) if (!this.#unanswered.delete(frame.subject)) client.write(frame.bytes);
    });
    // What a dead process had said still arrives, as late as it would have.
    client.on('error', () => {}).once('close', () => this.#endOfClient());
    broker.on('error', () => {}).once('close', () => this.destroy());
  }

  get isHeld(): boolean {
    return this.#holding !== undefined;
  }

  loseAnswerTo(reply: string): void {
    this.#unanswered.add(reply);
  }

  holdFor(ms: number): void {
    this.#holding ??= setTimeout(() => this.release(), ms);
  }

  release(): void {
    clearTimeout(this.#holding);
    this.#holding = undefined;
    for (const bytes of this.#held.splice(0)) this.broker.write(bytes);
    if (this.#clientEnded) this.broker.end();
  }

  destroy(): void {
    clearTimeout(this.#holding);
    this.#holding = undefined;
    this.client.destroy();
    this.broker.destroy();
  }

  #forward(bytes: Buffer): void {
    if (this.isHeld) this.#held.push(bytes);
    else this.broker.write(bytes);
  }

  #endOfClient(): void {
    this.#clientEnded = true;
    if (!this.isHeld) this.broker.end();
  }
}
