import { Agent, type StreamFn } from '@earendil-works/pi-agent-core';
import { createAssistantMessageEventStream } from '@earendil-works/pi-ai';
import { answerText, assistantMessage, brokeredModel, readPrompt, renderContext } from './agentMessages.js';
import { BrokerChannel } from './channel.js';

/**
 * The Pi worker: one prompt in, one text out. It is bundled into one file that holds no HTTP client, no key look-up and no
 * provider, and it runs where there is no network; generation is what the parent's broker answers on the channel.
 */
async function work(channel: BrokerChannel): Promise<void> {
  const context = await channel.ask({ type: 'hello' });
  const prompt = context.type === 'context' ? readPrompt(context.messages) : null;
  if (prompt === null) return process.exit(1);
  const agent = new Agent({
    streamFn: askBroker(channel),
    initialState: { systemPrompt: prompt.system, model: brokeredModel, tools: [], thinkingLevel: 'off' },
  });
  await agent.prompt(prompt.user);
  const text = answerText(agent.state.messages.at(-1));
  if (text === null) return process.exit(1);
  channel.finish({ type: 'result', text });
}

/** Text or an error, and nothing else: an agent without tools that is handed a tool call asks again. */
function askBroker(channel: BrokerChannel): StreamFn {
  return (_model, context) => {
    const stream = createAssistantMessageEventStream();
    void channel.ask({ type: 'generate', messages: renderContext(context) }).then((answer) => {
      const generated = answer.type === 'generated';
      const message = assistantMessage(generated ? answer.text : '', generated ? 'stop' : 'error');
      stream.push({ type: 'start', partial: message });
      stream.push(generated ? { type: 'done', reason: 'stop', message } : { type: 'error', reason: 'error', error: message });
      stream.end(message);
    });
    return stream;
  };
}

void work(new BrokerChannel());
