import type { Row } from '../../platform/store/row.ts';
import { perStore, type Query, SKIP_LOCKED, sql } from '../../platform/store/sql.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import type { Mail, Mails, NewMail } from './store.ts';

const COLUMNS = sql`id, sealed, attempts, created_at, expires_at`;

export function coldMails(db: ColdDatabase): Mails {
  return {
    addMail: async (mail, limit) => (await db.write(insertMailUnlessFull(mail, limit))).length === 1,
    takeMails: async (now, leaseUntil, limit) => {
      const due = sql`SELECT id FROM mails WHERE due_at <= ${now} ORDER BY due_at, id LIMIT ${limit} ${SKIP_LOCKED}`;
      const leased = sql`WITH due AS MATERIALIZED (${due})
        UPDATE mails SET due_at = ${leaseUntil}, attempts = attempts + 1 WHERE id IN (SELECT id FROM due)
        RETURNING ${COLUMNS}`;
      return (await db.write(leased)).map(toMail);
    },
    finishMail: async id => {
      await db.write(sql`DELETE FROM mails WHERE id = ${id}`);
    },
    postponeMail: async (id, dueAt) => {
      await db.write(sql`UPDATE mails SET due_at = ${dueAt} WHERE id = ${id}`);
    },
    countWaitingMails: async () => Number((await db.read(sql`SELECT count(*) AS count FROM mails`))[0]?.count),
  };
}

/** The step that queues a mail in the transaction of the act that it tells of. One that is run again finds its mail there. */
export function insertMail({ id, sealed, createdAt, expiresAt }: NewMail): Query {
  return sql`INSERT INTO mails (id, sealed, attempts, due_at, created_at, expires_at)
    VALUES (${id}, ${sealed}, 0, ${createdAt}, ${createdAt}, ${expiresAt}) ON CONFLICT (id) DO NOTHING`;
}

/**
 * Returns a row unless `limit` mails are waiting already. The update changes nothing. It returns the row, so that a full queue can be told
 * from an entry that waits already.
 */
export function insertMailUnlessFull({ id, sealed, createdAt, expiresAt }: NewMail, limit: number): Query {
  return sql`INSERT INTO mails (id, sealed, attempts, due_at, created_at, expires_at)
    SELECT ${id}, ${sealed}, 0, ${asNumber(createdAt)}, ${asNumber(createdAt)}, ${asNumber(expiresAt)}
    WHERE (SELECT count(*) FROM mails) < ${limit}
    ON CONFLICT (id) DO UPDATE SET id = excluded.id RETURNING 1`;
}

/** PostgreSQL takes a parameter in a SELECT for text, unless it is told otherwise. */
function asNumber(value: number): Query {
  return sql`CAST(${value} AS ${perStore('INTEGER', 'bigint')})`;
}

function toMail(row: Row): Mail {
  return {
    id: row.id as string,
    sealed: new Uint8Array(row.sealed as Uint8Array),
    attempts: row.attempts as number,
    createdAt: row.created_at as number,
    expiresAt: row.expires_at as number,
  };
}
