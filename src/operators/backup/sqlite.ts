import { DatabaseSync } from 'node:sqlite';
import { EVENT_COLUMNS, eventCells } from '../../audit/events/cells.store.ts';
import type { Event } from '../../audit/events/rules.ts';
import { SCHEMA_NUMBER } from '../../platform/store/sqlite/migrations.ts';

/** One read transaction, whatever is written meanwhile; in WAL mode it keeps no writer waiting. */
export function copyTo(file: string, path: string): void {
  using source = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  source.prepare('VACUUM INTO ?').run(file);
  using copy = new DatabaseSync(file, { readOnly: true });
  const [{ quick_check: found } = {}] = copy.prepare('PRAGMA quick_check(1)').all();
  if (found !== 'ok') throw new Error(`the copy is damaged, and so may be the database: ${found}`);
}

/**
 * Writes the event that a backup was made. Opened as it is and not as a store: a backup is made before an update too, when the schema
 * is not yet that of this release, and must not migrate it. Returns why there is no event.
 */
export function recordIn(path: string, event: Event): string | undefined {
  try {
    using database = new DatabaseSync(path, { timeout: 5000 });
    const [{ user_version: number } = {}] = database.prepare('PRAGMA user_version').all();
    if (number !== SCHEMA_NUMBER) return 'the database is of another release';
    const cells = eventCells(event);
    const values = cells.map(() => '?').join(', ');
    database.prepare(`INSERT INTO events (${EVENT_COLUMNS}) VALUES (${values})`).run(...cells);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
