import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reached } from './canaryStage.js';

interface HeldCall {
  readonly authorization: string | undefined;
  answer(status: number, body: object): void;
}

export interface HeldProvider {
  readonly url: string;
  /** The n-th call, once it is there. It stays unanswered until the test answers. */
  asked(index: number): Promise<HeldCall>;
  close(): Promise<void>;
}

/** A provider on the loopback whose calls wait for the test's word. */
export async function heldProvider(): Promise<HeldProvider> {
  const calls: HeldCall[] = [];
  const http: Server = createServer((request: IncomingMessage, response) => {
    request.resume().on('end', () =>
      calls.push({
        authorization: request.headers.authorization,
        answer: (status, body) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      }),
    );
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`,
    asked: async (index) => {
      await reached(`call ${index} at the provider`, () => Promise.resolve(calls.length > index));
      return calls[index] as HeldCall;
    },
    close: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
