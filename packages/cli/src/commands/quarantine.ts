import { exitCodes } from '../exitCodes.js';
import { openText } from '../quarantine/openText.js';
import { readShowOrder } from '../quarantine/showOrder.js';
import { withBroker } from '../stack/brokerUrl.js';
import { visibleText } from '../terminal/visible.js';
import type { CommandContext } from './context.js';

export interface QuarantineFlags {
  readonly as: string;
  readonly reason: string;
}

/** Shows the malformed text of a run to an operator who says why, once that is on record. What is not UTF-8 is U+FFFD. */
export async function quarantineShowCommand({ env, voice }: CommandContext, run: string, flags: QuarantineFlags): Promise<number> {
  const order = readShowOrder({ run, operator: flags.as, reason: flags.reason });
  const bytes = await withBroker(env, (broker) => openText(broker, order, Date.now()));
  const text = new TextDecoder().decode(bytes);
  voice.result({ run, bytes: bytes.byteLength, text }, visibleText(text));
  return exitCodes.ok;
}
