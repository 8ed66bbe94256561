import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect } from 'vitest';

const examples = fileURLToPath(new URL('../examples/', import.meta.url));

interface Asked {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** Answers wrongly the first time, and rightly when it is asked to repair. */
const answerTo = ({ messages }: Asked): string =>
  messages[0]?.role === 'system' ? '{"repaired_arguments": {"name": "Ada", "age": 36}}' : '{"name": "Ada", "age": "thirty-six"}';

/** For each test of the file a provider that writes one wrong type. Gives what runs one example against it and sees that ring 1 repaired the answer. */
export function exampleRunner(): (file: string) => Promise<void> {
  const asked: Asked[] = [];
  let server: Server;
  beforeEach(async () => {
    asked.length = 0;
    server = createServer((request, response) => void answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse((await request.toArray()).join('')) as Asked;
    asked.push(body);
    const choice = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: answerTo(body) } };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        id: 'c1',
        object: 'chat.completion',
        created: 1,
        model: body.model,
        choices: [choice],
        usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
      }),
    );
  }

  async function run(file: string): Promise<void> {
    const { port } = server.address() as AddressInfo;
    const env = {
      PATH: process.env['PATH'],
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      OPENAI_API_KEY: 'none',
      OPENAI_MODEL: 'small-1',
    };
    const { stdout } = await promisify(execFile)(process.execPath, [`${examples}${file}`], { env });
    expect(JSON.parse(stdout)).toEqual({
      status: 'overseen',
      value: { name: 'Ada', age: 36 },
      edits: [],
      usage: { promptTokens: 10, completionTokens: 4 },
      attempts: ['primary', 'overseer'].map((purpose) => ({
        purpose,
        model: null,
        finish: 'complete',
        usage: { promptTokens: 5, completionTokens: 2 },
      })),
    });
    expect(asked.map(({ model }) => model)).toEqual(['small-1', 'small-1']);
    expect(JSON.stringify(asked[1])).not.toContain('Ada was');
  }

  return run;
}
