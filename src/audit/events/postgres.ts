import type { Operation } from '../../platform/store/postgres/database.ts';
import { type Lock, takeLocks } from '../../platform/store/postgres/locks.ts';
import { type Run, type Statement, statement, type Value } from '../../platform/store/postgres/statement.ts';
import type { Row } from '../../platform/store/row.ts';
import { EVENT_COLUMNS, eventCells, eventJson } from './cells.store.ts';
import type { Event } from './rules.ts';

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

/** An act, without and with its event as its last value. On Citus the first has a form that says what `ActOnCitus` says. */
export interface RecordedAct {
  readonly alone: Statement;
  readonly withEvent: Statement;
}

/** What the functions of citus/ say of an act: whether it happened, and the user it concerned where its event does not know it. */
interface ActOnCitus {
  readonly done: boolean;
  readonly subject?: string;
}

/** On Citus a function on a worker cannot write events, which are on the coordinator: they are written in the same transaction. */
export function actAndRecord(
  operation: Operation,
  { alone, withEvent }: RecordedAct,
  values: readonly Value[],
  event: Event | undefined,
  ...shared: readonly Lock[]
): Promise<Row[]> {
  if (!event) return operation.write(alone, values, ...shared);
  if (!operation.isCitus) return operation.write(withEvent, [...values, eventJson(event)], ...shared);
  return operation.transaction(async run => {
    await takeLocks(run, { shared: [...shared] });
    return actOnCitus(run, alone, values, event);
  });
}

/** Runs inside a transaction that holds its locks. */
export async function actOnCitus(
  run: Run,
  alone: Statement,
  values: readonly Value[],
  event: Event | undefined,
): Promise<Row[]> {
  const rows = await run(alone, values);
  const { done, subject } = (rows[0] ?? { done: false }) as unknown as ActOnCitus;
  if (done && event) await recordEvent(run, subject === undefined ? event : { ...event, subject });
  return rows;
}
