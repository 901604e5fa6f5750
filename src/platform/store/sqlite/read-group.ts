import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * All reads of one turn of the event loop share one transaction. Each transaction takes and releases file locks, which costs more
 * than a lookup. A write of this process ends the snapshot before it begins, so reads see every write that this process has
 * acknowledged; they see the writes of another process one turn later at the latest.
 */
export class ReadGroup {
  readonly #connection: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  #open = false;

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
    this.#begin = connection.prepare('BEGIN');
    this.#commit = connection.prepare('COMMIT');
  }

  begin(): void {
    if (this.#open) return;
    this.#begin.run();
    this.#open = true;
    setImmediate(() => this.end());
  }

  end(): void {
    if (!this.#open) return;
    this.#open = false;
    // After a disk error SQLite may have ended the transaction already.
    if (!this.#connection.isTransaction) return;
    try {
      this.#commit.run();
    } catch {
      // Nothing was written, so nothing is lost; the next read begins anew.
      if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK');
    }
  }
}
