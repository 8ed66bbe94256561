import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Health } from './health.js';
import type { Metrics } from './metrics.js';

const CONNECTIONS_MAX = 64;
const REQUEST_MAX_MS = 5_000;
const HEADERS_MAX_BYTES = 8_192;

export interface HealthServerOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly health: Health;
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  readonly about: { readonly service: string; readonly version?: string };
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly type: string;
}

/**
 * Serves `/health`, `/ready` and `/metrics`. `/health` answers 200 as long as it can answer at all: a broker that is
 * away makes a process unready, and restarting it would not bring the broker back.
 */
export function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const server = createServer(
    { requestTimeout: REQUEST_MAX_MS, headersTimeout: REQUEST_MAX_MS, maxHeaderSize: HEADERS_MAX_BYTES },
    (request, response) => void answer(request, response, options),
  );
  server.maxConnections = CONNECTIONS_MAX;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve({ port: (server.address() as AddressInfo).port, close: () => closed(server) }); // A TCP listener has an AddressInfo.
    });
  });
}

type Route = (options: HealthServerOptions) => Answer | Promise<Answer>;

const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['/health', ({ health, about }) => json(200, { ...about, ...health.report() })],
  [
    '/ready',
    ({ health }) => {
      const { ready, state, components } = health.report();
      return json(ready ? 200 : 503, { ready, state, components });
    },
  ],
  ['/metrics', async ({ metrics }) => ({ status: 200, body: await metrics.text(), type: metrics.contentType })],
]);

/** Nothing of the request is ever written back. */
async function answer(request: IncomingMessage, response: ServerResponse, options: HealthServerOptions): Promise<void> {
  request.resume();
  const { status, body, type } = await answerTo(request, options);
  const allow = status === 405 ? { allow: 'GET, HEAD' } : {};
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', connection: 'close', ...allow });
  response.end(request.method === 'HEAD' ? undefined : body);
}

async function answerTo(request: IncomingMessage, options: HealthServerOptions): Promise<Answer> {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const route = routes.get(path);
  if (route === undefined) return json(404, { code: 'not_found' });
  if (request.method !== 'GET' && request.method !== 'HEAD') return json(405, { code: 'method_not_allowed' });
  try {
    return await route(options);
  } catch {
    return json(500, { code: 'report_failed' });
  }
}

const json = (status: number, body: unknown): Answer => ({ status, body: `${JSON.stringify(body)}\n`, type: 'application/json' });

function closed(server: ReturnType<typeof createServer>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
