import type { View, ViewEntry } from '@emend/log';
import { isRunKey } from './domain/generation.js';
import { readViewValue, type ViewValue } from './domain/viewValue.js';

/** One row as a view has it. */
export interface Standing {
  readonly entry: ViewEntry;
  readonly value: ViewValue;
}

export interface StandingOptions {
  readonly pageRows: number;
  readonly signal: AbortSignal;
}

/** All rows of a view in pages. One that is written meanwhile may come again in a later page, as it is then. */
export async function* standingPages(bucket: View, { pageRows, signal }: StandingOptions): AsyncGenerator<readonly Standing[]> {
  const watching = new AbortController();
  let page = new Map<string, Standing>();
  try {
    for await (const change of bucket.watch({ signal: AbortSignal.any([signal, watching.signal]) })) {
      if (change === 'current') break;
      const { key, bytes, revision } = change;
      if (bytes === null || !isRunKey(key)) continue;
      page.set(key, { entry: { key, bytes, revision }, value: readViewValue(bytes) });
      if (page.size < pageRows) continue;
      yield [...page.values()];
      page = new Map();
    }
  } finally {
    watching.abort();
  }
  if (page.size > 0 && !signal.aborted) yield [...page.values()];
}
