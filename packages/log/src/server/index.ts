export { type FindServerOptions, type FoundServer, findServer, type ResolvedServer, resolveServer } from './findServer.js';
export { type RunningServer, type StartServerOptions, startServer } from './startServer.js';
export { requireFreeStore } from './storeLock.js';
export { startTestServer, type TestServer, type TestServerOptions, workspaceRoot } from './testServer.js';
