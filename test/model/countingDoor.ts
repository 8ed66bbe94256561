import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A pass-through in front of a model server: it counts what comes by and changes nothing.
 * Shut, its port refuses connections as that of a server that is not there; opened again, it is the same port.
 */
export class CountingDoor {
  /** How often each prompt came by, by its hash. */
  readonly calls = new Map<string, number>();
  #port = 0;
  #origin = '';
  readonly #server = createServer((incoming, response) => void this.#pass(incoming, response).catch(() => response.destroy()));

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get total(): number {
    return [...this.calls.values()].reduce((sum, count) => sum + count, 0);
  }

  async open(origin: string): Promise<void> {
    this.#origin = origin;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async shut(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat((await incoming.toArray()) as Buffer[]);
    if (incoming.url?.endsWith('/chat/completions')) this.#count(body);
    const onward = request(`${this.#origin}${incoming.url ?? ''}`, { method: incoming.method, headers: incoming.headers });
    // Whoever gives up in front of the door gives up behind it.
    response.once('close', () => onward.destroy());
    onward.once('error', () => response.destroy());
    onward.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    onward.end(body);
  }

  #count(body: Buffer): void {
    const { messages } = JSON.parse(body.toString()) as { readonly messages: unknown };
    const prompt = createHash('sha256').update(JSON.stringify(messages)).digest('hex');
    this.calls.set(prompt, (this.calls.get(prompt) ?? 0) + 1);
  }
}
