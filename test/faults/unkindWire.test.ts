import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { UnkindWire } from './unkindWire.js';

const claim = (name: string) => `HPUB stream.thought.agent.repair.started.${name}.p _INBOX.${name} 12 14\r\nNATS/1.0\r\n\r\n{}\r\n`;
const ack = (number: number) => `PUB $JS.ACK.THOUGHT.repair-agent.1.${number}.1 4\r\n+ACK\r\n`;
const answer = (name: string) => `MSG _INBOX.${name} 1 2\r\n{}\r\n`;
const long = 3_600_000;
const never = Number.MAX_SAFE_INTEGER;

/** A broker that only listens, and what it has heard. */
class Listener {
  heard = '';
  readonly #server: Server;
  readonly socket: Promise<Socket>;
  constructor() {
    let met: (socket: Socket) => void;
    this.socket = new Promise((resolve) => (met = resolve));
    this.#server = createServer((socket) => {
      socket.on('data', (chunk: Buffer) => (this.heard += chunk.toString())).on('error', () => {});
      met(socket);
    });
  }
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `nats://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  async hears(text: string): Promise<void> {
    const socket = await this.socket;
    while (!this.heard.includes(text)) await once(socket, 'data');
  }
  close = () => void this.#server.close();
}

let broker: Listener;
let wire: UnkindWire;
let client: Socket;

beforeEach(() => {
  broker = new Listener();
});
afterEach(async () => {
  client.destroy();
  await wire.close();
  broker.close();
});

async function open(unkindness: Partial<Parameters<typeof UnkindWire.open>[0]>): Promise<void> {
  const places = { claims: 'stream.thought.agent.repair.started.', ends: 'stream.thought.derived.output.correction.' };
  const kind = { ...places, loseAckEvery: never, loseAnswerEvery: never, holdClaimEvery: never, holdMs: long };
  wire = await UnkindWire.open({ upstream: await broker.listen(), ...kind, ...unkindness });
  client = connect(Number(new URL(wire.url).port), '127.0.0.1');
  await once(client, 'connect');
}

it('loses one acknowledgement in so many, and nothing else', async () => {
  await open({ loseAckEvery: 2 });
  client.write(`${ack(1)}${ack(2)}PUB $JS.ACK.x 4\r\n+WPI\r\nPUB other 4\r\n+ACK\r\n${ack(3)}`);
  await broker.hears(ack(3));
  expect(broker.heard).toBe(`${ack(1)}PUB $JS.ACK.x 4\r\n+WPI\r\nPUB other 4\r\n+ACK\r\n${ack(3)}`);
  expect(wire.counts).toEqual({ acksLost: 1, answersLost: 0, claimsHeld: 0 });
});

it('loses the answer to one append in so many: the event arrives, and its writer does not hear of it', async () => {
  await open({ loseAnswerEvery: 2 });
  client.write(`${claim('a')}${claim('b')}`);
  await broker.hears(claim('b'));
  (await broker.socket).write(`${answer('a')}${answer('b')}PING\r\n`);
  let told = '';
  while (!told.includes('PING')) told += String((await once(client, 'data'))[0]);
  expect(told).toBe(`${answer('a')}PING\r\n`);
  expect(wire.counts.answersLost).toBe(1);
});

it('holds a claim back, with all that its connection says after it, and passes it on even if its process has died', async () => {
  await open({ holdClaimEvery: 2 });
  client.write(`${claim('a')}${claim('b')}${ack(1)}`);
  await broker.hears(claim('a'));
  while (!wire.standsStill) await new Promise((resolve) => setImmediate(resolve));
  expect(broker.heard).toBe(claim('a'));
  client.destroy();
  await once(client, 'close');
  wire.becomeKind();
  await broker.hears(ack(1));
  expect(broker.heard).toBe(`${claim('a')}${claim('b')}${ack(1)}`);
  expect(wire.counts.claimsHeld).toBe(1);
});

it('a probe at the start of a process is no claim', async () => {
  await open({ holdClaimEvery: 1, loseAnswerEvery: 1 });
  const probe = claim('probe').replace('.p _INBOX', '.probe _INBOX');
  client.write(probe);
  await broker.hears(probe);
  expect(wire.counts).toEqual({ acksLost: 0, answersLost: 0, claimsHeld: 0 });
});

it('says whose claim a text stands in', async () => {
  await open({});
  client.write(claim('a').replace('12 14', '12 27').replace('{}', '{"claimant":"x"}'));
  await broker.hears('claimant');
  expect([wire.hasClaimed('"x"'), wire.hasClaimed('"y"')]).toEqual([true, false]);
});
