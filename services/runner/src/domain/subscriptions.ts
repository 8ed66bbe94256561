/** A token that takes any one token, and one that takes all that follow. */
const anyOne = '*';
const allThatFollow = '>';

/**
 * Whether a subject fits a subscription of a declaration. A subscription is a NATS subject and may hold `*` and a last `>`. It names
 * what stands on it and below it, as the repair agent's does, so that no declaration has to count the tokens of a key.
 * One that NATS would refuse fits nothing.
 */
export function fits(subscription: string, subject: string): boolean {
  const wanted = subscription.split('.');
  const tokens = subject.split('.');
  if (!isSubscription(wanted) || tokens.length < wanted.length) return false;
  return wanted.every((token, index) => token === anyOne || token === allThatFollow || token === tokens[index]);
}

const isSubscription = (wanted: readonly string[]): boolean =>
  wanted.every((token, index) => token !== '' && (token !== allThatFollow || index === wanted.length - 1));

/** Whether any of them does. A declaration without a subscription answers nothing. */
export const fitsAny = (subscriptions: readonly string[], subject: string): boolean =>
  subscriptions.some((subscription) => fits(subscription, subject));
