import type { Issue } from '@emend/contracts';

/** What an answer was refused for, as lines of a prompt: codes and paths, never values (T75). */
export const issueLines = (issues: readonly Issue[]): readonly string[] =>
  issues.map(({ code, path }) => `- ${code} at ${path === '' ? '(whole answer)' : path}`);
