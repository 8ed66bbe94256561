/** Where a command speaks: its result, what it has to say beside it, and whether a terminal shows it. */
export interface Out {
  readonly say: (text: string) => void;
  readonly complain: (text: string) => void;
  readonly colour: boolean;
}

export const usage = [
  '[serve',
  'submit FILE [--format F] [--glossary FILE] [--protect FILE] [--language L] [--producer NAME] [--ref REF] [--privacy P] [--source-class C] [--json]',
  'diff SOURCE|PRODUCER/REF|RUN [--wait] [--html | --json] [--agent ID@V] [--service NAME]',
  'correct FILE [--format F] [--glossary FILE] [--protect FILE] [--html | --json]',
  'prompts list|show NAME|diff [--json]',
  'settings [--json]]',
].join(' | ');
