import { insertMail } from '../../notify/mail/queries.ts';
import { FOR_UPDATE, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll } from '../../platform/store/steps.ts';
import type { BrowserNotices } from './store.ts';

const DAY_SECONDS = 86_400;

export function coldBrowserNotices(db: ColdDatabase): BrowserNotices {
  return {
    noteNewBrowser: ({ sub, mail, maxPerDay, requestedBy }, now) =>
      db.transaction(function* () {
        const [user] = yield* rowsOf(sql`SELECT sub FROM users WHERE sub = ${sub} ${FOR_UPDATE}`);
        const entry = yield* rowsOf(sql`DELETE FROM mails WHERE id = ${requestedBy} RETURNING 1`);
        // Another process has done it after this one's lease.
        if (!user || entry.length === 0) return false;
        const [row] = yield* rowsOf(sql`SELECT notices, window_ends_at FROM browser_notices WHERE sub = ${sub}`);
        if (!row) {
          yield* rowsOf(sql`INSERT INTO browser_notices (sub, notices, window_ends_at) VALUES (${sub}, 0, 0)`);
          return false;
        }
        const isOver = Number(row.window_ends_at) <= now;
        const notices = isOver ? 0 : Number(row.notices);
        if (mail === undefined || notices >= maxPerDay) return false;
        const endsAt = isOver ? now + DAY_SECONDS : Number(row.window_ends_at);
        yield* runAll([
          sql`UPDATE browser_notices SET notices = ${notices + 1}, window_ends_at = ${endsAt} WHERE sub = ${sub}`,
          insertMail(mail),
        ]);
        return true;
      }),
  };
}
