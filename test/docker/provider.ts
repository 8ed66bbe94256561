export const providerPort = 8000;

/** What a model says to one request after the other; beyond that it fails. */
export type Script = Readonly<Record<string, readonly string[]>>;

/** A provider as a program for `node` in a container: each model keeps to its script, and how often it was asked is told. */
export const provider = (script: Script): string => `
import { createServer } from 'node:http';
const script = ${JSON.stringify(script)};
const times = {};
createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
    const { model } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const content = script[model]?.[times[model] ?? 0];
    times[model] = (times[model] ?? 0) + 1;
    console.log(JSON.stringify({ event: 'asked ' + model, times: times[model] }));
    if (content === undefined) return response.writeHead(500).end();
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ model, choices, usage: { prompt_tokens: 1, completion_tokens: 1 } }));
  });
}).listen(${providerPort}, '0.0.0.0');
`;
