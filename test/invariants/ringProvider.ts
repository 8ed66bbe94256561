import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Who asks a model: the run itself, its overseer, or the repair run. Each has a model of its own, so that a call says whose it is. */
export const modelOf = { primary: 'small-1', overseer: 'fixer-1', repair: 'large-1' } as const;
export type Asker = keyof typeof modelOf;

/** What the provider says: a text and why it ended, or nothing for as long as the test lasts. */
export type Said = { readonly text: string; readonly finish?: string } | 'held';

/** One note, and what each asker hears about it. Whoever hears nothing here gets a 500: nobody expected that call. */
export interface Told {
  readonly sourceId: string;
  /** Stands in the malformed text, by which an overseer's call is known: it names no source. */
  readonly secret: string;
  readonly says: Readonly<Partial<Record<Asker, Said>>>;
}

export interface CallSeen {
  readonly asker: Asker;
  /** The place of the note in the list. */
  readonly note: number;
  readonly body: string;
}

export interface RingProvider {
  readonly url: string;
  readonly calls: readonly CallSeen[];
  readonly countOf: (note: number, asker: Asker) => number;
  close(): Promise<void>;
}

/** The only fake of these tests: a model provider that answers by who asks and for which note, and remembers every call. */
export async function ringProvider(notes: readonly Told[]): Promise<RingProvider> {
  const calls: CallSeen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const call = callOf(body, notes);
      calls.push(call);
      answer(response, notes[call.note]?.says[call.asker], modelOf[call.asker]);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    countOf: (note, asker) => calls.filter((call) => call.note === note && call.asker === asker).length,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function callOf(body: string, notes: readonly Told[]): CallSeen {
  const { model } = JSON.parse(body) as { readonly model: string };
  const asker = (Object.keys(modelOf) as Asker[]).find((one) => modelOf[one] === model);
  if (asker === undefined) throw new Error(`nobody asks ${model}`);
  const isAbout = ({ sourceId, secret }: Told): boolean => body.includes(asker === 'overseer' ? secret : sourceId);
  return { asker, note: notes.findIndex(isAbout), body };
}

function answer(response: ServerResponse, said: Said | undefined, model: string): void {
  if (said === 'held') return;
  if (said === undefined) {
    response.writeHead(500).end();
    return;
  }
  const choices = [{ index: 0, finish_reason: said.finish ?? 'stop', message: { role: 'assistant', content: said.text } }];
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ model, choices, usage: { prompt_tokens: 500, completion_tokens: 50 } }));
}
