/** An id of 22 letters of base64url that begins with a dash, so that `parseArgs` would take it for options. */
const DASHED_ID = /^-[A-Za-z0-9_-]{21}$/;

/**
 * Arguments in a form in which `parseArgs` of `node:util` takes ids for ids: one that is the value of an option is joined
 * to it (`--why=-abc…`), any other goes behind `--`. `valued` names the options that may have an id as their value.
 */
export function guardIds(args: readonly string[], valued: readonly string[] = []): string[] {
  const end = args.indexOf('--');
  const [before, after] = end < 0 ? [args, []] : [args.slice(0, end), args.slice(end + 1)];
  const guarded: string[] = [];
  const ids: string[] = [];
  for (const arg of before) {
    const last = guarded.at(-1);
    if (!DASHED_ID.test(arg)) guarded.push(arg);
    else if (last !== undefined && valued.some((name) => last === `--${name}`)) guarded.splice(-1, 1, `${last}=${arg}`);
    else ids.push(arg);
  }
  return end < 0 && ids.length === 0 ? guarded : [...guarded, '--', ...ids, ...after];
}
