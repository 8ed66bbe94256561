/** A JSON value as RFC 8785 can write it. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** What a user writes to bind a contract: one JSON Schema (2020-12) and one prompt description under `id@version` (T47). */
export interface OutputContractDefinition {
  /** Dotted tokens of `[A-Za-z0-9_-]`, at most 128 characters. */
  readonly id: string;
  /** 1 or more. A changed definition needs a new version. */
  readonly version: number;
  readonly schema: JsonObject;
  /** What a model is told of the shape. Public text: it becomes the prompt of training rows. */
  readonly promptDescription: string;
}
