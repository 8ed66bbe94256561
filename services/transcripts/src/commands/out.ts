/** Where a command speaks: its result, and whether a terminal shows it. */
export interface Out {
  readonly say: (text: string) => void;
  readonly colour: boolean;
}

export const usage =
  '[serve] | correct FILE [--format F] [--glossary FILE] [--protect FILE] [--html | --json] | prompts list | prompts show NAME | prompts diff | settings';
