import { subjects } from '@emend/contracts';
import type { PlaceReader } from '@emend/runs';
import { sleep } from '@emend/runtime';
import type { DeclarationRead } from './domain/activation.js';

const pauseMs = 250;

/** The named declarations and their contracts. Told to stop while it asks, it has read nothing. */
export async function readDeclarations(
  reader: PlaceReader,
  names: readonly string[],
  { signal, waitMs }: { readonly signal: AbortSignal; readonly waitMs: number },
): Promise<readonly DeclarationRead[] | 'not_read'> {
  let read = await Promise.all(names.map((name) => readDeclaration(reader, name)));
  for (let waitedMs = 0; read.some(isIncomplete) && waitedMs < waitMs; waitedMs += pauseMs) {
    if ((await sleep(pauseMs, signal)) === 'aborted') return 'not_read';
    read = await Promise.all(names.map((name) => readDeclaration(reader, name)));
  }
  return read;
}

const isIncomplete = ({ declaration, contract }: DeclarationRead): boolean => declaration === null || contract === null;

async function readDeclaration(reader: PlaceReader, name: string): Promise<DeclarationRead> {
  const [id = '', version] = name.split('@');
  const declaration = (await reader.get(subjects.agent({ id, version: Number(version) })))?.read ?? null;
  const declared = declaration?.kind === 'event' && declaration.event.name === 'agentDeclared' ? declaration.event.data : null;
  return { declaration, contract: declared && ((await reader.get(subjects.contract(declared.contract)))?.read ?? null) };
}
