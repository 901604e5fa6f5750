import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * All reads of one turn of the event loop share one transaction. A read on its own takes and releases file locks, which
 * costs more than the look-up itself; together they pay for it once. Our own writes end the snapshot before they begin, so
 * whatever this process acknowledged is seen; what another process wrote is seen one turn later at the latest.
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
    // A fault of the disk may have ended the transaction already.
    if (!this.#connection.isTransaction) return;
    try {
      this.#commit.run();
    } catch {
      // Nothing was written, so nothing is lost; the next read begins anew.
      if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK');
    }
  }
}
