import type { Event } from '../../protocol/event.ts';
import { EVENT_COLUMNS, eventCells } from '../event-cells.ts';
import { type Run, statement } from './connection/statement.ts';

const names = EVENT_COLUMNS.split(', ');

const RECORD = statement(
  `INSERT INTO events (${EVENT_COLUMNS}) VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')})
   ON CONFLICT (id) DO NOTHING`,
);

/** In the transaction of its act. An attempt that is repeated after a lost answer writes the same event once. */
export async function recordEvent(run: Run, event: Event): Promise<void> {
  await run(RECORD, eventCells(event));
}

/**
 * SQL that writes an event as part of a statement: `json` is the event (eventJson), and `rows` what must exist for it. The event
 * gets another subject where one is given.
 */
export function recordWith(rows: string, json: string, subject = 'event.subject'): string {
  const values = names.map(name => (name === 'subject' ? subject : `event.${name}`)).join(', ');
  return `INSERT INTO events (${EVENT_COLUMNS})
    SELECT ${values} FROM ${rows} CROSS JOIN LATERAL json_populate_record(NULL::events, ${json}::json) AS event
    WHERE ${json} IS NOT NULL ON CONFLICT (id) DO NOTHING`;
}
