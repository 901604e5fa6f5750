import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * All reads of one turn of the event loop share one transaction. A read on its own takes and releases file locks, which
 * costs more than the look-up itself; together they pay for it once. The snapshot is never older than the turn, and our own
 * writes end it before they begin, so that whatever was acknowledged is seen.
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
    if (this.#connection.isTransaction) this.#commit.run();
  }
}
