import { actOfPersonOnce } from '../../audit/acts/queries.ts';
import { recordEvent } from '../../audit/events/queries.ts';
import { optional, optionalNumber, type Row } from '../../platform/store/row.ts';
import { among, FOR_UPDATE, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, type Steps } from '../../platform/store/steps.ts';
import type { NewTrustedBrowser, TrustedBrowser, TrustedBrowsers } from './store.ts';

const DAY_SECONDS = 86_400;

export function coldTrustedBrowsers(db: ColdDatabase): TrustedBrowsers {
  return {
    trustBrowser: (browser, limit, event) =>
      actOfPersonOnce(db, {
        lock: () => lockUser(db, browser.sub),
        *work(user) {
          if (!user || user.disabled || !(yield* hasProved(browser))) return { result: false, act: undefined };
          yield* addBrowser(browser, limit);
          return { result: true, act: event && { event } };
        },
      }),
    isTrustedBrowser: async (sub, tokenHashes, now) => {
      const [row] = await db.read(
        sql`SELECT id, last_used_at FROM trusted_browsers
          WHERE token_hash ${among(tokenHashes)} AND sub = ${sub} AND expires_at > ${now}`,
      );
      if (!row) return false;
      if (now - (optionalNumber(row.last_used_at) ?? 0) > DAY_SECONDS) {
        const used = sql`UPDATE trusted_browsers SET last_used_at = ${now} WHERE id = ${row.id as string}`;
        await db.write(used);
      }
      return true;
    },
    trustedBrowsersOf: async (sub, now) => {
      const browsers = sql`SELECT id, user_agent, created_at, last_used_at, expires_at FROM trusted_browsers
        WHERE sub = ${sub} AND expires_at > ${now} ORDER BY created_at DESC, id`;
      return (await db.read(browsers)).map(toTrustedBrowser);
    },
    distrustBrowser: (sub, id, event) =>
      db.transaction(function* () {
        const ended = yield* rowsOf(sql`DELETE FROM trusted_browsers WHERE sub = ${sub} AND id = ${id} RETURNING 1`);
        if (ended.length > 0 && event) yield* rowsOf(recordEvent(event));
        return ended.length > 0;
      }),
  };
}

/** What ends the user's access locks the user too: it comes before this transaction, or sees its row and deletes it. */
function* lockUser({ own }: ColdDatabase, sub: string): Steps<Row | undefined> {
  yield* own.lockUsers([sub]);
  const [user] = yield* rowsOf(sql`SELECT disabled FROM users WHERE sub = ${sub} ${FOR_UPDATE}`);
  return user;
}

/** Whether what the user has proved is still there, and the same. */
function* hasProved({ sub, passwordHash, totpKey }: NewTrustedBrowser): Steps<boolean> {
  const proved = sql`SELECT id, data FROM credentials WHERE sub = ${sub} AND id IN ('password', 'totp')`;
  const present = new Map((yield* rowsOf(proved)).map(({ id, data }) => [id, data]));
  return present.get('password') === passwordHash && present.get('totp') === totpKey;
}

/** In the place of the oldest, where the user has `limit` already. */
function* addBrowser(browser: NewTrustedBrowser, limit: number): Steps<void> {
  const { id, tokenHash, sub, userAgent = null, createdAt, expiresAt } = browser;
  yield* rowsOf(
    sql`DELETE FROM trusted_browsers WHERE id IN (
      SELECT id FROM trusted_browsers WHERE sub = ${sub} ORDER BY created_at DESC, id LIMIT 1000 OFFSET ${limit - 1})`,
  );
  yield* rowsOf(
    sql`INSERT INTO trusted_browsers (id, token_hash, sub, user_agent, created_at, expires_at)
      VALUES (${id}, ${tokenHash}, ${sub}, ${userAgent}, ${createdAt}, ${expiresAt})`,
  );
}

/** No browser skips the second factor of this user from now on. */
export function distrustBrowsers(sub: string): Query {
  return sql`DELETE FROM trusted_browsers WHERE sub = ${sub}`;
}

function toTrustedBrowser(row: Row): TrustedBrowser {
  return {
    id: row.id as string,
    userAgent: optional(row.user_agent),
    createdAt: Number(row.created_at),
    lastUsedAt: optionalNumber(row.last_used_at),
    expiresAt: Number(row.expires_at),
  };
}
