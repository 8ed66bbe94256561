import { canonicalHash, compileContract, type EventData, type OutputContract } from '@emend/contracts';

/** Contracts kept compiled; past it the longest kept one goes. */
const compiledMax = 64;

/**
 * Declared contracts, compiled once: compiling takes tens of milliseconds, and the same definition gives the same contract.
 * Remembering is allowed because a place holds one event for ever, and the hash is over all that is compiled.
 */
export class CompiledContracts {
  readonly #byHash = new Map<string, OutputContract | null>();

  /** Null where the definition does not compile, or is not what its hash says. */
  of({ definition, hash }: EventData<'contractDeclared'>): OutputContract | null {
    if (canonicalHash(definition) !== hash) return null;
    const known = this.#byHash.get(hash);
    if (known !== undefined) return known;
    const compiled = compile(definition);
    const oldest = this.#byHash.keys().next();
    if (this.#byHash.size >= compiledMax && !oldest.done) this.#byHash.delete(oldest.value);
    this.#byHash.set(hash, compiled);
    return compiled;
  }
}

function compile(definition: EventData<'contractDeclared'>['definition']): OutputContract | null {
  try {
    return compileContract(definition);
  } catch {
    return null;
  }
}
