export const providerPort = 8000;

/** A provider as a program for `node` in a container: it says one text after the other, then none, and tells how often it was asked. */
export const provider = (texts: readonly string[]): string => `
import { createServer } from 'node:http';
const texts = ${JSON.stringify(texts)};
let times = 0;
createServer((request, response) => {
  request.resume().on('end', () => {
    const content = texts[times];
    times += 1;
    console.log(JSON.stringify({ event: 'asked', times }));
    if (content === undefined) return response.writeHead(500).end();
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ model: 'small-1', choices, usage: { prompt_tokens: 1, completion_tokens: 1 } }));
  });
}).listen(${providerPort}, '0.0.0.0');
`;
