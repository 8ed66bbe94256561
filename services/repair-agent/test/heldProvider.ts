import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HeldProvider {
  readonly url: string;
  /** Resolves when so many requests have come. */
  reached(count: number): Promise<void>;
  /** Answers all that wait, and from now on at once. */
  release(): void;
  close(): Promise<void>;
}

/** A provider on the loopback that answers the first requests and keeps the others waiting. */
export async function heldProvider({ answered, valid }: { readonly answered: number; readonly valid: string }): Promise<HeldProvider> {
  const waiting: ServerResponse[] = [];
  const reaching: { readonly count: number; readonly resolve: () => void }[] = [];
  let came = 0;
  let released = false;
  const answer = (response: ServerResponse): void => {
    const message = { role: 'assistant', content: valid };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: 'c', choices: [{ index: 0, finish_reason: 'stop', message }] }));
  };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      came += 1;
      if (released || came <= answered) answer(response);
      else waiting.push(response);
      for (const { count, resolve } of reaching) if (came >= count) resolve();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    reached: (count) => new Promise((resolve) => (came >= count ? resolve() : void reaching.push({ count, resolve }))),
    release() {
      released = true;
      for (const response of waiting.splice(0)) answer(response);
    },
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
