/**
 * Millions of live tokens, written past the store's own interface, which takes them one login at a time. Tokens follow from
 * their number, so that both the rows and the list for the load can be made from it.
 */
import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { credentialOf, keyOf } from '../../src/credentials.ts';
import { ACCESS_TOKEN_TTL, APP, CLIENT_ID, REFRESH_TOKEN_TTL, SCOPE } from '../fixture.ts';
import { GATEHOUSE } from './gatehouse.ts';
import { databaseUrl, type Place, sqliteFile, valueFiles } from './place.ts';

/** How many of them the load asks for, spread over all. */
const SAMPLE = 100_000;
const BATCH = 100_000;
const DAY = 86_400;

/** Access tokens of the last hour, refresh tokens of the last month, as a month of logins leaves them. */
const livesOf = { access: ACCESS_TOKEN_TTL, refresh: REFRESH_TOKEN_TTL } as const;
type Kind = keyof typeof livesOf;

export async function growTokens(place: Place, count: number): Promise<void> {
  const { folder, postgres } = place;
  const now = Math.floor(Date.now() / 1000);
  if (postgres) await growPostgres(databaseUrl(postgres, GATEHOUSE), count, now);
  else growSqlite(sqliteFile(place, GATEHOUSE), count, now);
  const { access, refresh } = valueFiles(folder, GATEHOUSE);
  const step = Math.max(1, Math.floor(count / SAMPLE));
  // In no order, so that neighbours in time are not neighbours in the load.
  const numbers = Array.from({ length: Math.floor(count / step) }, (_, index) => index * step).sort(
    (one, other) => scatter(one) - scatter(other),
  );
  writeFileSync(access, `${numbers.map(number => tokenOf('access', number, count, now)).join('\n')}\n`);
  writeFileSync(refresh, `${numbers.map(number => tokenOf('refresh', number, count, now)).join('\n')}\n`);
}

const scatter = (number: number): number => (number * 2_654_435_761) % 4_294_967_296;

/** The later the number, the later the end: between a quarter of its life, with a day to spare, and all of it. */
function endOf(kind: Kind, number: number, count: number, now: number): number {
  const life = livesOf[kind];
  return now + (kind === 'access' ? DAY / 2 : DAY) + Math.floor((number / count) * life * 0.75);
}

function tokenOf(kind: Kind, number: number, count: number, now: number): string {
  const stamp = Buffer.alloc(6);
  stamp.writeUInt32BE(endOf(kind, number, count, now));
  stamp.writeUInt16BE(number % 0x10000, 4);
  return credentialOf(kind, stamp, hash('sha256', `${kind}${number}`, 'buffer'));
}

function growSqlite(path: string, count: number, now: number): void {
  const db = new DatabaseSync(path);
  // Grants are known by names in no order: gathered first and sorted at the end, which is faster than finding each its place.
  db.exec(`PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; DROP INDEX grants_by_end; DROP INDEX grants_by_user;
    CREATE TEMP TABLE gathered (grant_id TEXT, sub TEXT)`);
  const subs = db.prepare('SELECT sub FROM users ORDER BY sub').all();
  const grant = db.prepare('INSERT INTO gathered VALUES (?, ?)');
  const access = db.prepare(
    `INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, issued_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const refresh = db.prepare(
    'INSERT INTO refresh_tokens (app, token_hash, grant_id, issued_at, expires_at) VALUES (?, ?, ?, ?, ?)',
  );
  for (let start = 0; start < count; start += BATCH) {
    db.exec('BEGIN');
    for (let number = start; number < Math.min(count, start + BATCH); number++) {
      const sub = subs[number % subs.length]?.sub as string;
      const id = hash('sha256', `grant${number}`, 'base64url').slice(0, 22);
      const key = (kind: Kind) => keyOf(tokenOf(kind, number, count, now));
      grant.run(id, sub);
      access.run(APP, key('access'), id, CLIENT_ID, sub, SCOPE, now, endOf('access', number, count, now));
      refresh.run(APP, key('refresh'), id, now, endOf('refresh', number, count, now));
    }
    db.exec('COMMIT');
  }
  const end = now + 2 * REFRESH_TOKEN_TTL;
  db.exec(`INSERT INTO grants (app, grant_id, client_id, sub, scope, auth_time, amr, expires_at)
    SELECT '${APP}', grant_id, '${CLIENT_ID}', sub, '${SCOPE}', ${now}, 'pwd', ${end} FROM gathered ORDER BY grant_id;
    CREATE INDEX grants_by_end ON grants (expires_at);
    CREATE INDEX grants_by_user ON grants (sub, app, client_id)`);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}

/** The same in the language of the database: base64 without its padding, and with the two letters that fit an address. */
const encoded = (bytes: string): string => `translate(encode(${bytes}, 'base64'), E'+/=\\n', '-_')`;

function keySql(kind: Kind, end: string): string {
  const stamp = `int4send((${end})::int) || substr(int4send((n % 65536)::int), 3)`;
  const text = `'${kind === 'access' ? 'gat_' : 'grt_'}' || ${encoded(stamp)} || ${encoded(`sha256(('${kind}' || n)::bytea)`)}`;
  return `(${stamp}) || sha256((${text})::bytea)`;
}

async function growPostgres(url: string, count: number, now: number): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('SET synchronous_commit = off');
  // Made anew at the end: ten million entries in no order are sorted faster than they are inserted.
  await client.query('DROP INDEX grants_by_end, grants_by_user');
  const end = (kind: Kind) =>
    `${now + (kind === 'access' ? DAY / 2 : DAY)} + floor(n / ${count}::float8 * ${livesOf[kind]} * 0.75)`;
  const grantId = `left(${encoded("sha256(('grant' || n)::bytea)")}, 22)`;
  const sub = '(SELECT array_agg(sub ORDER BY sub) FROM users)';
  for (let start = 0; start < count; start += BATCH) {
    const last = Math.min(count, start + BATCH) - 1;
    const from = `FROM generate_series(${start}, ${last}) AS n, ${sub} AS s (subs)`;
    const who = `subs[n % array_length(subs, 1) + 1]`;
    const common = `'${CLIENT_ID}', ${who}, '${SCOPE}'`;
    await client.query(`INSERT INTO grants (app, grant_id, client_id, sub, scope, auth_time, amr, expires_at)
      SELECT '${APP}', ${grantId}, ${common}, ${now}, 'pwd', ${now + 2 * REFRESH_TOKEN_TTL} ${from}`);
    await client.query(`INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, issued_at, expires_at)
      SELECT '${APP}', ${keySql('access', end('access'))}, ${grantId}, ${common}, ${now}, ${end('access')} ${from}`);
    await client.query(`INSERT INTO refresh_tokens (app, token_hash, grant_id, issued_at, expires_at)
      SELECT '${APP}', ${keySql('refresh', end('refresh'))}, ${grantId}, ${now}, ${end('refresh')} ${from}`);
  }
  await client.query('CREATE INDEX grants_by_end ON grants (expires_at)');
  await client.query('CREATE INDEX grants_by_user ON grants (sub, app, client_id)');
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
  await client.end();
}
