/** One message as an application sends it. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** The request and the reply that all proposals came from: the common root of every branch (A48, A50). */
export interface Exchange {
  /** All rendered messages, with their roles and their order. */
  readonly messages: readonly Message[];
  /** The whole reply as it was received, not what was decoded of it (A55). */
  readonly reply: string;
}

/** One attempt of one branch: what was asked and what came back. */
export interface Turn {
  readonly instruction: string;
  readonly reply: string;
}

/** The messages of the next request of one branch: the root, its own turns, the new instruction. Nothing of another branch (A51, A52). */
export function conversationOf(exchange: Exchange, turns: readonly Turn[], instruction: string): readonly Message[] {
  return [
    ...exchange.messages,
    { role: 'assistant', content: exchange.reply },
    ...turns.flatMap((turn): readonly Message[] => [
      { role: 'user', content: turn.instruction },
      { role: 'assistant', content: turn.reply },
    ]),
    { role: 'user', content: instruction },
  ];
}
