/** The projection's version. Greater where rows of equal logs differ from those of the version before. */
export const PROJECTION_VERSION = 1;

/** Where the meta value stands. A run's key has 22 characters, so no run can have this one. */
export const META_KEY = '_meta';

const RUN_KEY_CHARACTERS = 22;

/** Every other key is the projector's own. */
export const isRunKey = (key: string): boolean => key.length === RUN_KEY_CHARACTERS;

/** What a generation stands for. */
export interface GenerationBasis {
  /** The log's incarnation: SHA-256 of its first event. */
  readonly log: string;
  readonly projection: number;
}

/** The one value by which writers agree. */
export interface Meta extends GenerationBasis {
  readonly generation: number;
  /** Void events up to this sequence have had their incident. */
  readonly reported: number;
}

/**
 * Why a generation is asked for. `start`: a process begins. `follow`: a greater one was met. `renew`: the view or the log
 * is not what was folded. `rebuild`: an operator says so.
 */
export type GenerationWish = 'start' | 'follow' | 'renew' | 'rebuild';

export interface GenerationFacts {
  readonly meta: Meta | null;
  readonly ours: GenerationBasis;
  readonly wish: GenerationWish;
  /** The greatest generation met in a row; a meta value that was lost or set back may be behind it. */
  readonly seen: number;
}

export type GenerationDecision =
  | { readonly kind: 'adopt'; readonly meta: Meta }
  /** By compare-and-set, so that of several writers one takes it and the others adopt it. */
  | { readonly kind: 'take'; readonly meta: Meta }
  | { readonly kind: 'refuse'; readonly cause: 'projection_older' | 'generation_of_others' };

export function decideGeneration({ meta, ours, wish, seen }: GenerationFacts): GenerationDecision {
  const sameLog = meta !== null && meta.log === ours.log;
  const take: GenerationDecision = {
    kind: 'take',
    meta: { ...ours, generation: Math.max(meta?.generation ?? 0, seen) + 1, reported: sameLog ? meta.reported : 0 },
  };
  if (wish === 'rebuild' || meta === null) return take;
  // An older version that came back would take the view from the newer one, and that one take it again, for ever.
  if (meta.projection > ours.projection) return { kind: 'refuse', cause: 'projection_older' };
  if (wish === 'renew') return take;
  if (sameLog && meta.projection === ours.projection) return meta.generation < seen ? take : { kind: 'adopt', meta };
  return wish === 'start' ? take : { kind: 'refuse', cause: 'generation_of_others' };
}
