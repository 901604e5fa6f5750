import { recordEvent } from '../../audit/events/queries.ts';
import { optional, optionalNumber, type Row } from '../../platform/store/row.ts';
import { among, FOR_UPDATE, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll } from '../../platform/store/steps.ts';

import type { TrustedBrowser, TrustedBrowsers } from './store.ts';

const DAY_SECONDS = 86_400;

export function coldTrustedBrowsers(db: ColdDatabase): TrustedBrowsers {
  return {
    trustBrowser: (browser, limit, event) =>
      db.transaction(function* () {
        const { id, tokenHash, sub, userAgent = null, createdAt, expiresAt, passwordHash, totpKey } = browser;
        // What ends the user's access locks the user too: it comes before this, or sees the row and deletes it.
        yield* db.own.lockUsers([sub]);
        const [user] = yield* rowsOf(sql`SELECT disabled FROM users WHERE sub = ${sub} ${FOR_UPDATE}`);
        const proved = sql`SELECT id, data FROM credentials WHERE sub = ${sub} AND id IN ('password', 'totp')`;
        const present = new Map((yield* rowsOf(proved)).map(({ id, data }) => [id, data]));
        if (!user || user.disabled) return false;
        if (present.get('password') !== passwordHash || present.get('totp') !== totpKey) return false;
        yield* runAll([
          sql`DELETE FROM trusted_browsers WHERE id IN (
            SELECT id FROM trusted_browsers WHERE sub = ${sub} ORDER BY created_at DESC, id LIMIT 1000 OFFSET ${limit - 1})`,
        ]);
        yield* runAll([
          sql`INSERT INTO trusted_browsers (id, token_hash, sub, user_agent, created_at, expires_at)
            VALUES (${id}, ${tokenHash}, ${sub}, ${userAgent}, ${createdAt}, ${expiresAt})`,
          ...(event ? [recordEvent(event)] : []),
        ]);
        return true;
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
