import { z } from 'zod';

// `z.coerce` is wrong for environment variables: it reads '' as 0 and 'false' as true. These read text, and say what they accept.

/** Any text on one line. */
export const oneLine = (): z.ZodType<string> =>
  z
    .string()
    .regex(/^[^\r\n]+$/)
    .describe('one line of text');

/** A whole number in decimal digits, within limits. */
export function wholeNumber(limits: { readonly min: number; readonly max: number }): z.ZodType<number> {
  return z
    .string()
    .regex(/^-?\d{1,15}$/)
    .transform(Number)
    .pipe(z.number().min(limits.min).max(limits.max))
    .describe(`a whole number from ${limits.min} to ${limits.max}`);
}

/** `true` or `false`, nothing else. */
export const flag = (): z.ZodType<boolean> =>
  z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .describe('`true` or `false`');

/** One word of a list. */
export const oneOf = <const W extends readonly [string, ...string[]]>(words: W): z.ZodType<W[number]> =>
  z.enum(words).describe(words.map((word) => `\`${word}\``).join(', '));
