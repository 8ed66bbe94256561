import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a provider is out: nobody listens, or every request is answered with this status. */
export type Outage = 'refused' | number;

export interface OutProvider {
  readonly url: string;
  /** Requests that reached it while it was out. Where nobody listens none does. */
  refusals(): number;
  /** How often each prompt was generated for. */
  readonly generations: ReadonlyMap<string, number>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

/** A provider on the loopback that is out until it comes back, and counts. */
export async function outProvider(outage: Outage, answer: (prompt: string) => string): Promise<OutProvider> {
  let out = true;
  let refusals = 0;
  const generations = new Map<string, number>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      if (out) {
        refusals += 1;
        response.writeHead(Number(outage)).end('{}');
        return;
      }
      const { messages } = JSON.parse(body) as { readonly messages: readonly { readonly content: string }[] };
      const prompt = messages.map(({ content }) => content).join('\n');
      generations.set(prompt, (generations.get(prompt) ?? 0) + 1);
      const message = { role: 'assistant', content: answer(prompt) };
      response.end(JSON.stringify({ id: 'c', choices: [{ index: 0, finish_reason: 'stop', message }] }));
    });
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  if (outage === 'refused') await close();
  return {
    url: `http://127.0.0.1:${port}/v1`,
    refusals: () => refusals,
    generations,
    async comeBack() {
      out = false;
      if (!server.listening) await listen(port);
    },
    close,
  };
}
