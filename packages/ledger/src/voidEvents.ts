import type Database from 'better-sqlite3';

/** An event that took its place and has no effect. Ids and a code, never text. */
export interface VoidEvent {
  readonly subject: string;
  readonly sequence: number;
  readonly code: string;
}

/** All void events folded so far, in order. A list and not a queue: who has been told is not the ledger's to know. */
export class VoidEvents {
  readonly #insert: Database.Statement<[number, string, string]>;
  readonly #page: Database.Statement<[number, number], VoidEvent>;
  readonly #count: Database.Statement<[], number>;

  constructor(db: Database.Database) {
    this.#insert = db.prepare('INSERT OR REPLACE INTO voids (sequence, subject, code) VALUES (?, ?, ?)');
    this.#page = db.prepare('SELECT sequence, subject, code FROM voids WHERE sequence > ? ORDER BY sequence LIMIT ?');
    this.#count = db.prepare<[], number>('SELECT count(*) FROM voids').pluck();
  }

  add({ sequence, subject, code }: VoidEvent): void {
    this.#insert.run(sequence, subject, code);
  }

  page({ after, limit }: { readonly after: number; readonly limit: number }): readonly VoidEvent[] {
    return this.#page.all(after, limit);
  }

  count(): number {
    return this.#count.get() ?? 0;
  }
}
