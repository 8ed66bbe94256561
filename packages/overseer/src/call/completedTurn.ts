import { canonicalText, type JsonValue } from '@emend/contracts';
import type { Completed } from './turn.js';

/** Makes the canonical form when somebody asks for it: it costs more than all the rest. */
export class CompletedTurn implements Completed {
  readonly kind = 'completed';
  readonly output: JsonValue;
  readonly obtained: Completed['obtained'];
  readonly edits: Completed['edits'];
  #text: string | undefined;

  constructor(output: JsonValue, obtained: Completed['obtained'], edits: Completed['edits']) {
    this.output = output;
    this.obtained = obtained;
    this.edits = edits;
  }

  get text(): string {
    this.#text ??= canonicalText(this.output);
    return this.#text;
  }
}
