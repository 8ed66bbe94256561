/** Between two looks. */
const lookMs = 100;
/** A point that is not reached by then will not be: something is wrong, and the log files say what. */
const boundMs = 300_000;

/** Waits for a point, never for a time. @throws Error that names the point */
export async function waitFor(point: string, reached: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + boundMs;
  while (!(await reached())) {
    if (Date.now() > until) throw new Error(`waited ${boundMs / 1_000} s for: ${point}`);
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}
