import type { Database } from '../../platform/store/sqlite/database.ts';
import { EVENT_COLUMNS, eventCells } from './cells.store.ts';
import type { Event } from './rules.ts';

/** Writes an event inside the write of its act. */
export function prepareRecordEvent(db: Database): (event: Event) => void {
  const insert = db.prepare(
    `INSERT INTO events (${EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
  );
  return event => void insert.run(...eventCells(event));
}
