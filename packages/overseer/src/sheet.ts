import type { EditCode, Mark } from './edits.js';
import type { FaultCode } from './faults.js';
import type { Budget } from './limits.js';

/** Why a scan stopped before the root was closed. */
export type Failure =
  /** The text ends inside. */
  | { readonly kind: 'open' }
  | { readonly kind: 'too_deep' }
  | { readonly kind: 'fault'; readonly code: FaultCode; readonly at: number }
  | { readonly kind: 'ambiguous'; readonly code: FaultCode; readonly at: number; readonly readings: number };

/** One text under the pen: what is to be changed in it, in order of place, and the work that was done on it. */
export class Sheet {
  readonly text: string;
  readonly budget: Budget;
  readonly marks: Mark[] = [];
  failure: Failure | null = null;

  constructor(text: string, budget: Budget) {
    this.text = text;
    this.budget = budget;
  }

  /** Replaces [from, to). Marks come nearly in order, so a late one is moved past few. */
  mark(editCode: EditCode, from: number, to: number, text: string): void {
    const { marks } = this;
    marks.push({ code: editCode, from, to, text });
    for (let at = marks.length - 1; at > 0; at -= 1) {
      const before = marks[at - 1];
      const here = marks[at];
      if (before === undefined || here === undefined || before.from <= here.from) return;
      marks[at - 1] = here;
      marks[at] = before;
      this.budget.steps += 1;
    }
  }

  /** Takes back what was marked at `from` and after it. */
  takeBack(from: number): void {
    while ((this.marks.at(-1)?.from ?? -1) >= from) this.marks.pop();
  }

  fail(faultCode: FaultCode, at: number): void {
    this.failure ??= { kind: 'fault', code: faultCode, at };
  }

  doubt(faultCode: FaultCode, at: number, readings: number): void {
    this.failure ??= { kind: 'ambiguous', code: faultCode, at, readings };
  }

  /** The text of [from, to) with every mark in it carried out. */
  rewritten(from: number, to: number): string {
    const parts: string[] = [];
    let copied = from;
    for (const mark of this.marks) {
      if (mark.from < from || mark.to > to) continue;
      parts.push(this.text.slice(copied, mark.from), mark.text);
      copied = mark.to;
    }
    parts.push(this.text.slice(copied, to));
    return parts.join('');
  }
}
