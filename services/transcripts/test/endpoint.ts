import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { correction } from './scriptedModel.js';

/** What an endpoint answers with: a text, a status, or null for a request that it keeps waiting. */
export type EndpointAnswer = string | number | null;

export interface Endpoint {
  readonly url: string;
  /** What each request asked, in order: the whole body. */
  readonly asked: readonly string[];
  /** Resolves when so many requests have come. */
  reached(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Takes one filler out of each section and approves whatever it is asked about. */
export function goodAnswer(body: string): string {
  const { messages } = JSON.parse(body) as { readonly messages: readonly { readonly content: string }[] };
  const system = messages[0]?.content ?? '';
  if (!system.includes('"corrections"')) return '{"verdict":"approve"}';
  return JSON.stringify({ corrections: system.includes('only looks like a filler') ? [correction('um the', 'the')] : [] });
}

/** A provider on the loopback. */
export async function endpoint(answer: (body: string, nth: number) => EndpointAnswer = goodAnswer): Promise<Endpoint> {
  const asked: string[] = [];
  const reaching: { readonly count: number; readonly resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const said = answer(body, asked.push(body));
      for (const { count, resolve } of reaching) if (asked.length >= count) resolve();
      if (said === null) return;
      if (typeof said === 'number') return void response.writeHead(said).end();
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ model: 'm', choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: said } }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    reached: (count) => new Promise((resolve) => (asked.length >= count ? resolve() : void reaching.push({ count, resolve }))),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
