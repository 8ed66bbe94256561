import { openContainers } from '@emend/contracts';
import { isInvisible, isSpace } from './characters.js';
import type { EditCode, Mark } from './edits.js';

/** What a model may write around its answer. Only what is declared is ever removed, and only outside strings. */
export interface Wrapping {
  /** Names of tags around reasoning. */
  readonly thoughts: readonly string[];
  /** Names of tags around the answer. */
  readonly tags: readonly string[];
  readonly controlTokens: boolean;
  readonly fences: boolean;
  readonly prose: boolean;
}

/** What is known of models of any make; the default. */
export const anyWrapping: Wrapping = {
  thoughts: ['think', 'thinking', 'thought', 'reasoning', 'reflection', 'scratchpad'],
  tags: ['tool_call', 'function_call', 'json', 'answer', 'output', 'response', 'result', 'final'],
  controlTokens: true,
  fences: true,
  prose: true,
};

export const noWrapping: Wrapping = { thoughts: [], tags: [], controlTokens: false, fences: false, prose: false };

export type Peeled =
  /** What is left between `from` and `to`. */
  | { readonly kind: 'peeled'; readonly from: number; readonly to: number; readonly marks: readonly Mark[] }
  /** Reasoning that never ended: there is no answer (and what stands in reasoning is none). */
  | { readonly kind: 'no_answer' };

/** Layers at each end; a text with more is not one that we know. */
const layersMax = 8;
const headToken = /<\|[A-Za-z_]+\|>|<s>|<bos>|<｜[^｜>]{1,40}｜>/y;
const tailToken = /(?:<\|[A-Za-z_]+\|>|<\/s>|<eos>|<end_of_turn>|\[\/INST\]|<｜[^｜>]{1,40}｜>)$/;
const finalChannel = /<\|channel\|>\s*final\b[^<{[]{0,40}(?:<\|constrain\|>[^<{[]{0,40})?<\|message\|>/g;

/** Takes off reasoning, control tokens, one wrapper tag and blank, from both ends inwards. */
export function peel(text: string, wrapping: Wrapping): Peeled {
  const peeler = new Peeler(text, wrapping);
  for (let layer = 0; layer < layersMax && peeler.head(); layer += 1);
  if (peeler.unended) return { kind: 'no_answer' };
  for (let layer = 0; layer < layersMax && peeler.tail(); layer += 1);
  return { kind: 'peeled', from: peeler.from, to: peeler.to, marks: peeler.marks };
}

class Peeler {
  readonly #text: string;
  readonly #wrapping: Wrapping;
  readonly marks: Mark[] = [];
  from = 0;
  to: number;
  unended = false;
  #tag = '';

  constructor(text: string, wrapping: Wrapping) {
    this.#text = text;
    this.#wrapping = wrapping;
    this.to = text.length;
  }

  /** One layer at the head; false where there is none. */
  head(): boolean {
    this.#blankHead();
    return !this.unended && (this.#thoughtHead() || this.#channelHead() || this.#tokenHead() || this.#tagHead());
  }

  tail(): boolean {
    this.#blankTail();
    const rest = this.#text.slice(Math.max(this.from, this.to - 64), this.to);
    const token = this.#wrapping.controlTokens ? (tailToken.exec(rest)?.[0] ?? '') : '';
    if (token !== '') return this.#dropTail('control_token_removed', token.length);
    const closing = `</${this.#tag}>`;
    if (this.#tag === '' || !rest.toLowerCase().endsWith(closing)) return false;
    this.#tag = '';
    return this.#dropTail('tag_removed', closing.length);
  }

  #thoughtHead(): boolean {
    const text = this.#text.slice(this.from, this.to);
    if (!text.startsWith('<') && !text.includes('</')) return false;
    const lower = text.toLowerCase();
    for (const tag of this.#wrapping.thoughts) {
      const closing = `</${tag}>`;
      const opens = lower.startsWith(`<${tag}>`);
      const end = opens ? lower.indexOf(closing) : lower.lastIndexOf(closing);
      if (opens && end === -1) {
        this.unended = true;
        return true;
      }
      if (end === -1 || (!opens && !this.#isBareThought(lower, end, tag))) continue;
      return this.#dropHead('thought_removed', this.from + end + closing.length);
    }
    return false;
  }

  /** The chat template opened the block, so only its end stands in the text. Inside a string the tag is content. */
  #isBareThought(lower: string, end: number, tag: string): boolean {
    const head = lower.slice(0, end);
    return !head.includes(`<${tag}>`) && openContainers(head).atEnd === 0;
  }

  /** Channel headers: the answer is what follows the last header of the final channel. */
  #channelHead(): boolean {
    if (!this.#wrapping.controlTokens || !/^<\|(?:channel|start)\|>/.test(this.#text.slice(this.from, this.from + 16))) return false;
    const last = [...this.#text.slice(0, this.to).matchAll(finalChannel)].at(-1);
    if (last === undefined) {
      this.unended = true;
      return true;
    }
    if (openContainers(this.#text.slice(this.from, last.index)).atEnd > 0) return false;
    return this.#dropHead('control_token_removed', last.index + last[0].length);
  }

  #tokenHead(): boolean {
    if (!this.#wrapping.controlTokens) return false;
    headToken.lastIndex = this.from;
    const token = headToken.exec(this.#text)?.[0];
    return token !== undefined && this.#dropHead('control_token_removed', this.from + token.length);
  }

  #tagHead(): boolean {
    const lower = this.#text.slice(this.from, this.from + 32).toLowerCase();
    const tag = this.#wrapping.tags.find((name) => lower.startsWith(`<${name}>`));
    if (tag === undefined || this.#tag !== '') return false;
    this.#tag = tag;
    return this.#dropHead('tag_removed', this.from + tag.length + 2);
  }

  #blankHead(): void {
    for (; this.from < this.to; this.from += 1) {
      const c = this.#text.charCodeAt(this.from);
      if (isInvisible(c)) this.#drop('invisible_removed', this.from, this.from + 1);
      else if (!isSpace(c)) return;
    }
  }

  #blankTail(): void {
    for (; this.to > this.from; this.to -= 1) {
      const c = this.#text.charCodeAt(this.to - 1);
      if (isInvisible(c)) this.#drop('invisible_removed', this.to - 1, this.to);
      else if (!isSpace(c)) return;
    }
  }

  #dropHead(editCode: EditCode, to: number): true {
    this.#drop(editCode, this.from, to);
    this.from = to;
    return true;
  }

  #dropTail(editCode: EditCode, length: number): true {
    this.#drop(editCode, this.to - length, this.to);
    this.to -= length;
    return true;
  }

  #drop(editCode: EditCode, from: number, to: number): void {
    this.marks.push({ code: editCode, from, to, text: '' });
  }
}
