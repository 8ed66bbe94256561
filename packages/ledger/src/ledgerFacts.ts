import {
  type ContractRef,
  compileContract,
  OutputContracts,
  type OutputContractDefinition,
  type Resolved,
  type ThoughtEvent,
} from '@emend/contracts';
import { type KnownFacts, learnContract, type SourceFact, sourceFactOf } from '@emend/history';
import type Database from 'better-sqlite3';
import { LeastRecent } from './leastRecent.js';
import { SOURCES_CACHED_MAX } from './limits.js';
import { type Sealed, sealOf, unseal } from './seal.js';

/** What the log said before the event in hand, kept in the file: after a restart it is the same. */
export class LedgerFacts implements KnownFacts {
  readonly #cached = new LeastRecent<SourceFact>(SOURCES_CACHED_MAX);
  readonly #insertSource: Database.Statement<[string, string, number]>;
  readonly #selectSource: Database.Statement<[string], Sealed>;
  readonly #insertContract: Database.Statement<[number, string, number]>;
  readonly #selectContracts: Database.Statement<[], Sealed & { readonly sequence: number }>;
  #contracts: OutputContracts;

  constructor(
    db: Database.Database,
    private readonly file: string,
  ) {
    this.#insertSource = db.prepare('INSERT OR REPLACE INTO sources (id, body, seal) VALUES (?, ?, ?)');
    this.#selectSource = db.prepare('SELECT body, seal FROM sources WHERE id = ?');
    this.#insertContract = db.prepare('INSERT OR REPLACE INTO contracts (sequence, body, seal) VALUES (?, ?, ?)');
    this.#selectContracts = db.prepare('SELECT sequence, body, seal FROM contracts ORDER BY sequence');
    this.#contracts = this.#loadContracts();
  }

  /** Takes an event into the facts. The word says whether it broke the rule of its place. */
  learn(event: ThoughtEvent, sequence: number): 'learned' | 'void' {
    if (event.name === 'sourceCaptured') this.#keepSource(sourceFactOf(event));
    if (event.name !== 'contractDeclared') return 'learned';
    if (learnContract(this.#contracts, event) === 'void') return 'void';
    const body = JSON.stringify(event.data.definition);
    this.#insertContract.run(sequence, body, sealOf(String(sequence), body));
    return 'learned';
  }

  source(eventId: string): SourceFact | undefined {
    const cached = this.#cached.get(eventId);
    if (cached !== undefined) return cached;
    const stored = this.#selectSource.get(eventId);
    if (stored === undefined) return undefined;
    const fact = unseal<SourceFact>(eventId, stored, this.file);
    this.#cached.set(eventId, fact);
    return fact;
  }

  contract(ref: ContractRef): Resolved {
    return this.#contracts.resolve(ref);
  }

  /** Drops what memory holds beyond the file, after a batch that was not committed. */
  forget(): void {
    this.#cached.clear();
    this.#contracts = this.#loadContracts();
  }

  #keepSource(fact: SourceFact): void {
    const body = JSON.stringify(fact);
    this.#insertSource.run(fact.eventId, body, sealOf(fact.eventId, body));
    this.#cached.set(fact.eventId, fact);
  }

  /** Compiles each contract once, in the order of the log: the first definition of a version is the one that counts. */
  #loadContracts(): OutputContracts {
    const contracts = new OutputContracts();
    for (const stored of this.#selectContracts.all()) {
      contracts.add(compileContract(unseal<OutputContractDefinition>(String(stored.sequence), stored, this.file)));
    }
    return contracts;
  }
}
