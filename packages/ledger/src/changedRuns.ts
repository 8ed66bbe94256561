import type Database from 'better-sqlite3';

/** A run whose row in a view is older than its dossier. */
export interface ChangedRun {
  readonly run: string;
  /** The dossier's position when it was marked. */
  readonly position: number;
}

/** What a page of changed runs is asked with. */
export interface ChangedPage {
  readonly view: string;
  /** Runs behind this one, in the order of their ids. */
  readonly after: string;
  readonly limit: number;
}

/**
 * Which runs have yet to be put to which view. Marked in the transaction that changed the dossier, cleared once the view
 * has confirmed: a crash between the two repeats a put and loses none.
 */
export class ChangedRuns {
  readonly #mark: Database.Statement<[string, string, number]>;
  readonly #markAll: Database.Statement<[string]>;
  readonly #clear: Database.Statement<[string, string, number]>;
  readonly #page: Database.Statement<[string, string, number], ChangedRun>;
  readonly #count: Database.Statement<[string], number>;

  constructor(
    private readonly db: Database.Database,
    private readonly views: readonly string[],
  ) {
    this.#mark = db.prepare('INSERT OR REPLACE INTO changed (view, run, position) VALUES (?, ?, ?)');
    this.#markAll = db.prepare('INSERT OR REPLACE INTO changed (view, run, position) SELECT ?, run, position FROM dossiers');
    this.#clear = db.prepare('DELETE FROM changed WHERE view = ? AND run = ? AND position <= ?');
    this.#page = db.prepare('SELECT run, position FROM changed WHERE view = ? AND run > ? ORDER BY run LIMIT ?');
    this.#count = db.prepare<[string], number>('SELECT count(*) FROM changed WHERE view = ?').pluck();
  }

  mark({ run, position }: ChangedRun): void {
    for (const view of this.views) this.#mark.run(view, run, position);
  }

  markAll(view: string): void {
    this.#markAll.run(view);
  }

  /** Clears what the view has confirmed. A run that changed again meanwhile stays marked. */
  clear(view: string, confirmed: readonly ChangedRun[]): void {
    this.db.transaction(() => {
      for (const { run, position } of confirmed) this.#clear.run(view, run, position);
    })();
  }

  page({ view, after, limit }: ChangedPage): readonly ChangedRun[] {
    return this.#page.all(view, after, limit);
  }

  count(view: string): number {
    return this.#count.get(view) ?? 0;
  }
}
