import { createServer, type IncomingHttpHeaders, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { selfSigned } from './selfSigned.js';

export type Answer = (response: ServerResponse) => void;

export interface FakeProvider {
  readonly url: string;
  /** Every request that reached it, whole. */
  readonly requests: { readonly headers: IncomingHttpHeaders; readonly path: string; readonly body: string }[];
  /** Settles when the first request has arrived and its answer was begun. */
  readonly reached: Promise<void>;
}

const closing: (() => Promise<unknown>)[] = [];

/** For `afterEach`: closes whatever a test opened here. */
export async function closeProviders(): Promise<void> {
  for (const close of closing.splice(0)) await close();
}

async function listen(server: TcpServer, scheme = 'http'): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    (server as Partial<Server>).closeAllConnections?.();
    return new Promise((resolve) => server.close(resolve));
  });
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** A provider that answers every request by one function, and keeps what it was sent. */
export async function provider(answer: Answer, tls?: 'tls'): Promise<FakeProvider> {
  const requests: FakeProvider['requests'] = [];
  let arrive = (): void => {};
  const reached = new Promise<void>((resolve) => (arrive = resolve));
  const handle: RequestListener = (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      requests.push({ headers: request.headers, path: request.url ?? '', body });
      answer(response);
      arrive();
    });
  };
  const server = tls === undefined ? createServer(handle) : createSecureServer(selfSigned(), handle);
  return { url: await listen(server, tls === undefined ? 'http' : 'https'), requests, reached };
}

/** An address of this machine where nobody listens any more. */
export async function unusedAddress(): Promise<string> {
  const unused = createTcpServer();
  await new Promise<void>((resolve) => unused.listen(0, '127.0.0.1', resolve));
  const { port } = unused.address() as AddressInfo;
  await new Promise((resolve) => unused.close(resolve));
  return `http://127.0.0.1:${port}/v1`;
}

export const says =
  (status: number, body: unknown): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

export const completion = (message: object, finishReason: unknown = 'stop', more: object = {}) => ({
  id: 'x',
  choices: [{ index: 0, finish_reason: finishReason, message: { role: 'assistant', ...message } }],
  ...more,
});
