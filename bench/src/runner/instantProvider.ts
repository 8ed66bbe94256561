import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface InstantProvider {
  readonly url: string;
  close(): Promise<void>;
}

/** A provider on the loopback that gives a valid observation of whatever it is asked about, at once. */
export async function instantProvider(): Promise<InstantProvider> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const eventId = /Source ([A-Za-z0-9_-]+):/.exec(Buffer.concat(chunks).toString('utf8'))?.[1] ?? '';
      const content = JSON.stringify({
        title: 'The gauge at the north pier',
        summary: 'It stood at 2.14 m in the morning.',
        tags: ['gauge'],
        confidence: 0.9,
        evidence: [{ eventId, quote: 'stood at 2.14 m' }],
      });
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          model: 'instant',
          choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
          usage: { prompt_tokens: 500, completion_tokens: 50 },
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
