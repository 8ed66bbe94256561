import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CountingProvider {
  readonly url: string;
  /** How often each prompt reached the provider, by its hash, or by the key that the test gives it. */
  readonly calls: ReadonlyMap<string, number>;
  readonly total: () => number;
  readonly close: () => Promise<void>;
}

export interface ProviderOptions {
  /** What the model would say to a prompt. */
  readonly answer: (prompt: string) => string;
  /** How long a generation takes, in milliseconds. */
  readonly tookMs: () => number;
  /** What a call is counted under: its prompt's hash, when absent. `path` is what was asked, from the first slash. */
  readonly keyOf?: (prompt: string, path: string) => string;
}

const hashOf = (prompt: string): string => createHash('sha256').update(prompt).digest('hex');

/** A model provider in the shape of OpenAI's, which counts what reaches it: the only fake of these tests. */
export async function countingProvider({ answer, tookMs, keyOf = hashOf }: ProviderOptions): Promise<CountingProvider> {
  const calls = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { model, messages } = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
      const prompt = messages.map(({ content }) => content).join('\n');
      const key = keyOf(prompt, request.url ?? '');
      calls.set(key, (calls.get(key) ?? 0) + 1);
      const body = {
        id: 'c',
        object: 'chat.completion',
        model,
        choices: [{ index: 0, message: { role: 'assistant', content: answer(prompt) }, finish_reason: 'stop' }],
      };
      setTimeout(() => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      }, tookMs());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    total: () => [...calls.values()].reduce((sum, count) => sum + count, 0),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Asked {
  readonly model: string;
  readonly messages: readonly { readonly content: string }[];
}
