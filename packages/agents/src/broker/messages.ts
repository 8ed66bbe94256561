import type { RefusedCode } from '../failureCodes.js';
import type { PromptMessages } from '../prompt.js';

/** What the parent says. Only texts and codes: no address, no key, no parameter of a model. */
export type ParentMessage =
  | { readonly type: 'context'; readonly messages: PromptMessages }
  | { readonly type: 'generated'; readonly text: string }
  | { readonly type: 'refused'; readonly code: RefusedCode };

/** What a worker says, in this order and each once. */
export type WorkerMessage =
  | { readonly type: 'hello' }
  | { readonly type: 'generate'; readonly messages: PromptMessages }
  | { readonly type: 'result'; readonly text: string };
