import { z } from 'zod';

/** A token of a subject that a person chose: a producer, a capture id, an authority, a tier. */
export const keyTokenSchema = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
/** A hashed token: an event, run, chain or policy. */
export const hashTokenSchema = z.string().regex(/^[A-Za-z0-9_-]{22}$/);
/** The subject of another event. Its id follows from it; the other way round nothing could be read back. */
export const placeReferenceSchema = z
  .string()
  .max(512)
  .regex(/^stream\.thought\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/);
/** A producer's own reference for a run. Opaque to us. */
export const referenceSchema = z.string().min(1).max(256);
