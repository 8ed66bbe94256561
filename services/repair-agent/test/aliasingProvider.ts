import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AliasingProvider {
  readonly url: string;
  /** The key that each request carried. */
  readonly keys: (string | undefined)[];
  close(): Promise<void>;
}

/** A provider that says one text and answers with a name of its own, as servers do. */
export async function aliasingProvider(text: string): Promise<AliasingProvider> {
  const keys: AliasingProvider['keys'] = [];
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      keys.push(request.headers.authorization);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ model: 'an-alias', choices, usage: { prompt_tokens: 500, completion_tokens: 50 } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    keys,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
