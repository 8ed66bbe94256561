// healthcheck.mjs [PORT [PATH]]: the container's own probe. Ends with 0 where the process answers 200, else with 1.
// Node is in every image of ours; curl is in none.
const [port = process.env.EMEND_HTTP_PORT || '8080', path = '/health'] = process.argv.slice(2);
const probeMaxMs = 4_000;

try {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(probeMaxMs) });
  process.exitCode = answer.status === 200 ? 0 : 1;
} catch {
  process.exitCode = 1;
}
