import type { StatementSync } from 'node:sqlite';
import type { Event } from '../../protocol/event.ts';
import { EVENT_COLUMNS, eventCells } from '../event-cells.ts';
import type { Database } from './connection/database.ts';

/** Writes an event inside the write of its act. Prepared when it is first needed: most writes have no event. */
export function prepareRecordEvent(db: Database): (event: Event) => void {
  let insert: StatementSync | undefined;
  return event => {
    insert ??= db.prepare(
      `INSERT INTO events (${EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    );
    insert.run(...eventCells(event));
  };
}
