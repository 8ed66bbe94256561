import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { hashTokenSchema } from '@emend/contracts';
import { RefusedToStart } from '@emend/runtime';
import { z } from 'zod';
import type { Declassification, Destination } from '../domain/exportPolicy.js';
import type { ExporterErrorCode } from '../errors.js';

/** Events that one declassification file can name. */
const declassifiedEventsMax = 100_000;
const contractsMax = 64;

/** Strict: a misspelt member would otherwise allow less, or more, than its writer meant. */
const declassificationFile = z.strictObject({
  format: z.literal('emend.declassification@1'),
  events: z.array(hashTokenSchema).max(declassifiedEventsMax),
});

const destinationFile = z.strictObject({
  format: z.literal('emend.destination@1'),
  directory: z.string().min(1),
  upTo: z.enum(['sensitive', 'private']),
  contracts: z
    .array(z.string().regex(/^[A-Za-z0-9_.-]+@[1-9]\d{0,6}$/))
    .min(1)
    .max(contractsMax),
});

/** @throws RefusedToStart `declassification_file_unreadable`, `declassification_file_invalid` */
export async function readDeclassification(file: string | undefined): Promise<Declassification | null> {
  if (file === undefined) return null;
  const { events } = await readStrict(file, declassificationFile, ['declassification_file_unreadable', 'declassification_file_invalid']);
  return { events: new Set(events) };
}

/**
 * What the host allows for one folder. A file that names another folder allows nothing here.
 * @throws RefusedToStart `destination_file_unreadable`, `destination_file_invalid`
 */
export async function readDestination(file: string | undefined, folder: string): Promise<Destination | null> {
  if (file === undefined) return null;
  const read = await readStrict(file, destinationFile, ['destination_file_unreadable', 'destination_file_invalid']);
  return resolve(read.directory) === resolve(folder) ? { upTo: read.upTo, contracts: read.contracts } : null;
}

async function readStrict<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  [unreadable, invalid]: readonly [ExporterErrorCode, ExporterErrorCode],
): Promise<z.output<Schema>> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new RefusedToStart(unreadable);
  });
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new RefusedToStart(invalid);
  }
}
