import { z } from 'zod';

/** Characters of a contract, agent or policy id. */
export const idCharactersMax = 128;

/** Dotted tokens, each fit to be a token of a subject. */
export const dottedIdSchema = z
  .string()
  .max(idCharactersMax)
  .regex(/^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/);

export const versionSchema = z.int().min(1).max(1_000_000);

export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

/** The canonical identity of an output contract: what five readers must resolve alike (T47, T48). */
export const contractRefSchema = z.object({ id: dottedIdSchema, version: versionSchema, hash: sha256Schema });
export type ContractRef = z.infer<typeof contractRefSchema>;

export const sameContract = (a: ContractRef, b: ContractRef): boolean => a.id === b.id && a.version === b.version && a.hash === b.hash;
