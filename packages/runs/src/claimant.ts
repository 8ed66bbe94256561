import { randomBytes } from 'node:crypto';

const CLAIMANT_BYTES = 16;

/** 128 random bits as one token: who may call the model, if these are the bytes that the log kept. */
export const randomClaimant = (): string => randomBytes(CLAIMANT_BYTES).toString('base64url');
