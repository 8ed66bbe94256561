import { canonicalHash } from '@emend/contracts';
import type { MaxTokensField, StructuredOutput } from './dialects.js';

/** One tier as a host writes it. */
export interface TierWritten {
  /** The provider's name in a provenance. */
  readonly provider: string;
  /** Say `https://host/v1`. */
  readonly baseUrl: string;
  /** Where the key is: a file, never the key. Without one none is sent. */
  readonly keyFile?: string | undefined;
  readonly model: string;
  readonly structuredOutput?: StructuredOutput | undefined;
  readonly maxTokensField?: MaxTokensField | undefined;
  /** Refuses the answer of another model than the one asked for. */
  readonly requireSameModel?: boolean | undefined;
}

/** One tier, nothing left open. */
export interface CatalogueEntry {
  readonly provider: string;
  readonly baseUrl: string;
  readonly keyFile: string | null;
  readonly model: string;
  readonly structuredOutput: StructuredOutput;
  readonly maxTokensField: MaxTokensField;
  readonly requireSameModel: boolean;
}

/** Which model answers for which tier (T59, T72). */
export interface Catalogue {
  /** SHA-256 over all tiers, the references to keys included and no key. */
  readonly digest: string;
  /** The host's own count of its catalogues: what a digest cannot see, such as other weights behind the same name. */
  readonly generation: number;
  readonly tiers: Readonly<Record<string, CatalogueEntry>>;
}

/** The same tiers give the same digest, in whatever order they are written. */
export function catalogueOf(tiers: Readonly<Record<string, TierWritten>>, generation = 1): Catalogue {
  const entries = Object.fromEntries(Object.entries(tiers).map(([tier, written]) => [tier, entryOf(written)]));
  return { digest: canonicalHash(entries), generation, tiers: entries };
}

const entryOf = ({
  provider,
  baseUrl,
  keyFile,
  model,
  structuredOutput,
  maxTokensField,
  requireSameModel,
}: TierWritten): CatalogueEntry => ({
  provider,
  baseUrl,
  keyFile: keyFile ?? null,
  model,
  structuredOutput: structuredOutput ?? 'none',
  maxTokensField: maxTokensField ?? 'max_tokens',
  requireSameModel: requireSameModel ?? false,
});

/** A base URL: http or https, without a password, a query or a fragment, which are no base of anything. */
export function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && [username, password, search, hash].every((part) => part === '');
}
