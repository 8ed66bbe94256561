import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What every scripted worker can do: speak in frames, and hear. `hear` resolves with the next message. */
const protocol = `
const net = require('node:net');
const channel = new net.Socket({ fd: 3 });
const raw = (bytes) => channel.write(bytes);
const frame = (message) => {
  const body = Buffer.from(typeof message === 'string' ? message : JSON.stringify(message));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
};
const say = (...messages) => raw(Buffer.concat(messages.map(frame)));
let held = Buffer.alloc(0);
const heard = [];
let wake = () => {};
channel.on('data', (chunk) => {
  held = Buffer.concat([held, chunk]);
  while (held.length >= 4 && held.length >= 4 + held.readUInt32BE(0)) {
    const end = 4 + held.readUInt32BE(0);
    heard.push(JSON.parse(held.subarray(4, end).toString()));
    held = held.subarray(end);
  }
  wake();
});
channel.on('error', () => {});
const hear = async () => {
  while (heard.length === 0) await new Promise((resolve) => (wake = resolve));
  return heard.shift();
};
const hello = async () => { say({ type: 'hello' }); return (await hear()).messages; };
const generated = async () => { for (;;) { const one = await hear(); if (one.type === 'generated') return one.text; } };
const stay = () => setInterval(() => {}, 1000);
`;

/** A folder of workers made for one test file. Readable for every user, since a worker is no longer root. */
export class WorkerScripts {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'emend-workers-'));
  #count = 0;

  constructor() {
    chmodSync(this.#folder, 0o755);
  }

  /** A copy where every user can read it. */
  copy(file: string): string {
    const to = path.join(this.#folder, path.basename(file));
    copyFileSync(file, to);
    return to;
  }

  /** A file whose process runs this body after the protocol. */
  write(body: string): string {
    this.#count += 1;
    const file = path.join(this.#folder, `worker${this.#count}.cjs`);
    writeFileSync(file, `${protocol}\n(async () => {\n${body}\n})();\n`);
    return file;
  }

  /** The folder, with a program of this name and text in it. */
  program(name: string, text: string): string {
    const file = path.join(this.#folder, name);
    writeFileSync(file, text);
    chmodSync(file, 0o755);
    return this.#folder;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
