/** Characters of an array that is empty but for blank. */
const emptiedMax = 64;

/**
 * Whether two members of an array without a comma, the first ending at `end` and the second beginning at `start`, may be one array: `x[]` may be `[x]`,
 * and so may `[]x`, with a bracket that changed places with its neighbour. Where blank stands between, only an array that holds blank shows it.
 */
export function mayBeSwapped(text: string, end: number, start: number): boolean {
  const [before, after] = [text.slice(Math.max(0, end - emptiedMax), end), text.slice(start, start + emptiedMax)];
  return end === start ? /\[\s*\]$/.test(before) || /^\[\s*\]/.test(after) : /\[\s+\]$/.test(before) || /^\[\s+\]/.test(after);
}
