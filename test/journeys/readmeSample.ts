import { Producer } from '@emend/client';
import { connect } from '@emend/log';

/** One answer of a model, from the source it was asked about to its end in the log. */
export async function recordAnswer(servers: string, text: string) {
  const broker = await connect({ servers, name: 'my-agent', stream: 'THOUGHT' });
  const producer = new Producer({ log: broker.log, producer: 'my-agent' });

  const source = await producer.capture({ kind: 'note', capture: 'note-1', text: 'What the model is asked about.' });
  const run = await producer.start({
    reference: 'answer-1',
    agent: { id: 'field-note-observer.plain', version: 1 }, // declared before, with `emend declare`
    trigger: source.event.subject,
    model: {
      provider: 'my-provider',
      model: 'my-model',
      executionAdapter: 'my-agent@1',
      learnedAdapter: null,
      catalog: { digest: '0'.repeat(64), generation: 0 }, // of the list of models that you start with
    },
  });
  const end = await run.end({ text, finishReason: 'stop' }); // judged against the contract; the text never enters an event

  await broker.close();
  return end.kind === 'produced' ? end.output : end.diagnostic;
}
