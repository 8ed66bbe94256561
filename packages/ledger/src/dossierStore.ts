import type { Dossier } from '@emend/history';
import type Database from 'better-sqlite3';
import { LeastRecent } from './leastRecent.js';
import { DOSSIERS_CACHED_CHARS, PAGE_ROWS } from './limits.js';
import { type Sealed, sealOf, unseal } from './seal.js';

/** Dossiers by run: the file, and before it a bounded memory. */
export class DossierStore {
  readonly #cached = new LeastRecent<Dossier>(DOSSIERS_CACHED_CHARS);
  readonly #upsert: Database.Statement<[string, number, string, number]>;
  readonly #select: Database.Statement<[string], Sealed>;
  readonly #page: Database.Statement<[string, number], string>;
  readonly #count: Database.Statement<[], number>;

  constructor(
    db: Database.Database,
    private readonly file: string,
  ) {
    this.#upsert = db.prepare(
      'INSERT INTO dossiers (run, position, body, seal) VALUES (?, ?, ?, ?) ' +
        'ON CONFLICT (run) DO UPDATE SET position = excluded.position, body = excluded.body, seal = excluded.seal',
    );
    this.#select = db.prepare('SELECT body, seal FROM dossiers WHERE run = ?');
    this.#page = db.prepare<[string, number], string>('SELECT run FROM dossiers WHERE run > ? ORDER BY run LIMIT ?').pluck();
    this.#count = db.prepare<[], number>('SELECT count(*) FROM dossiers').pluck();
  }

  get(run: string): Dossier | null {
    const cached = this.#cached.get(run);
    if (cached !== undefined) return cached;
    const stored = this.#select.get(run);
    if (stored === undefined) return null;
    const dossier = unseal<Dossier>(run, stored, this.file);
    this.#cached.set(run, dossier, stored.body.length);
    return dossier;
  }

  put(dossier: Dossier): void {
    const body = JSON.stringify(dossier);
    this.#upsert.run(dossier.run, dossier.position, body, sealOf(dossier.run, body));
    this.#cached.set(dossier.run, dossier, body.length);
  }

  /** All runs in the order of their ids. Read in pages, because an open cursor would keep every other statement waiting. */
  *runs(): Generator<string> {
    for (let after = ''; ; ) {
      const page = this.#page.all(after, PAGE_ROWS);
      yield* page;
      const last = page.at(-1);
      if (last === undefined) return;
      after = last;
    }
  }

  count(): number {
    return this.#count.get() ?? 0;
  }

  forget(): void {
    this.#cached.clear();
  }
}
