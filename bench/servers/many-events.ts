/** Millions of events in the audit log, of the last thirty days. They look sealed; their hashes are no chain. */
import { APP, CLIENT_ID } from '../fixture.ts';
import { fillTables } from './many-rows.ts';
import type { Place } from './place.ts';

const DAYS = 30;
const TYPES = ['user.login.succeeded', 'session.ended', 'user.login.failed', 'consent.given', 'user.updated'];

export function seedEvents(place: Place, count: number): Promise<void> {
  const first = Math.floor(Date.now() / 1000) - DAYS * 86_400;
  const step = (DAYS * 86_400) / count;
  const type = `CASE n % ${TYPES.length} ${TYPES.map((name, at) => `WHEN ${at} THEN '${name}'`).join(' ')} END`;
  const insert = (id: string, time: string, blob: string) =>
    `INSERT INTO events (id, time, type, outcome, actor_kind, actor, subject, app, client_id, address, user_agent, request_id, details,
       seq, hash)
     SELECT ${id}, ${time}, ${type}, 'success', 'user', 'u' || n % 100000, 'u' || n % 100000, '${APP}', '${CLIENT_ID}', '192.0.2.7',
       'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36', 'req-' || n, '{"sid":"0123456789"}', n, ${blob} FROM numbers`;
  const end = `UPDATE event_chain SET last_seq = ${count}`;
  return fillTables(place, {
    tables: ['events'],
    sqlite: [
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
       ${insert(`'evt_' || printf('%08x%06x', ${first} + CAST(n * ${step} AS INTEGER), n % 16777216) || '0123456789abcdef0123'`, `${first} + CAST(n * ${step} AS INTEGER)`, 'randomblob(32)')}`,
      end,
    ],
    postgres: [
      `WITH numbers AS (SELECT n FROM generate_series(1, ${count}) AS n)
       ${insert(`'evt_' || lpad(to_hex(${first} + floor(n * ${step})::int), 8, '0') || lpad(to_hex(n % 16777216), 6, '0') || '0123456789abcdef0123'`, `${first} + floor(n * ${step})::int`, "decode(md5(n::text) || md5(n::text), 'hex')")}`,
      end,
    ],
  });
}
