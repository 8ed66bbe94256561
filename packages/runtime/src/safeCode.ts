/** Letters of a code or a name: short, one line, without spaces, so that prose and payload do not fit. */
const CODE = /^[A-Za-z0-9_.:-]{1,64}$/;

/** The text where it is shaped like a code, else `otherwise`. */
export function safeCode(text: unknown, otherwise: string): string {
  return typeof text === 'string' && CODE.test(text) ? text : otherwise;
}
