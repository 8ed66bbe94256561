import { visibleJson } from './visible.js';

/** How a command speaks: one line at a time, progress that a terminal overwrites, or one JSON document. */
export interface Voice {
  /** A line for people; nothing with `--json`. */
  readonly say: (line: string) => void;
  /** Where long work stands. On a terminal it overwrites itself; elsewhere it is a plain line now and then. */
  readonly progress: (line: string) => void;
  /** The result: JSON with `--json`, else the text. */
  readonly result: (value: unknown, text: string) => void;
  readonly complain: (line: string) => void;
}

/** Without a terminal, one progress line in this many is printed. */
const plainProgressEvery = 500;

export interface VoiceOptions {
  readonly json: boolean;
  readonly out: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly err: NodeJS.WritableStream;
}

export function createVoice({ json, out, err }: VoiceOptions): Voice {
  let steps = 0;
  let overwritten = false;
  const settle = (): void => {
    if (overwritten) out.write('\n');
    overwritten = false;
  };
  return {
    say(line) {
      if (json) return;
      settle();
      out.write(`${line}\n`);
    },
    progress(line) {
      steps += 1;
      if (json) return;
      if (out.isTTY) {
        out.write(`\r\u001b[2K${line}`);
        overwritten = true;
      } else if (steps % plainProgressEvery === 0) out.write(`${line}\n`);
    },
    result(value, text) {
      settle();
      out.write(`${json ? visibleJson(value) : text}\n`);
    },
    complain(line) {
      settle();
      err.write(`${line}\n`);
    },
  };
}
