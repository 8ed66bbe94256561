import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ScriptedProvider {
  readonly url: string;
  /** What each request asked, in order: the whole body. */
  readonly asked: string[];
  /** Resolves when so many requests have come. */
  reached(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A provider on the loopback that says one text after the other; `null` is a request that it keeps waiting. */
export async function scriptedProvider(...texts: readonly (string | null)[]): Promise<ScriptedProvider> {
  const asked: string[] = [];
  const reaching: { readonly count: number; readonly resolve: () => void }[] = [];
  const answer = (response: ServerResponse, text: string): void => {
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ model: 'small-1', choices, usage: { prompt_tokens: 500, completion_tokens: 50 } }));
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = texts[asked.length];
      asked.push(Buffer.concat(chunks).toString('utf8'));
      if (typeof text === 'string') answer(response, text);
      // Beyond its script it fails: nobody expected a call.
      else if (text === undefined) response.writeHead(500).end();
      for (const { count, resolve } of reaching) if (asked.length >= count) resolve();
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
