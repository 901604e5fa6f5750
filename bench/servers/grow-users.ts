/**
 * Millions of users, made in the database itself. They follow from their number, are called as those of the fixture, and all
 * have the password of the first, who must be there; each can sign in by name, e-mail and telephone number.
 */
import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { GATEHOUSE } from './gatehouse.ts';
import { databaseUrl, type Place, sqliteFile } from './place.ts';

export function usernameOf(number: number): string {
  return `user-${number}`;
}

/** Of all but the first, whose name the store chose. */
export function subOf(number: number): string {
  return hash('sha256', usernameOf(number), 'base64url').slice(0, 22);
}

/** So many in all, with the one that is there. */
export async function growUsers(place: Place, count: number): Promise<void> {
  if (count < 2) return;
  if (place.postgres) await growPostgres(databaseUrl(place.postgres, GATEHOUSE), count);
  else growSqlite(sqliteFile(place, GATEHOUSE), count);
}

/** A row for each `n` of the series, in the order of the key, which is the fastest to write. */
function usersOf(series: string, sub: string, sevenDigits: string): string {
  return `${series}
    INSERT INTO users (sub, username, nickname, picture, email, email_verified, phone_number, phone_number_verified,
      password_hash, disabled, updated_at)
    SELECT ${sub}, 'user-' || n, 'User ' || n, 'https://bench.example/pictures/' || n || '.png',
      'user-' || n || '@bench.example', true, '+1555' || ${sevenDigits}, true, first.password_hash, false, first.updated_at
    FROM series, (SELECT password_hash, updated_at FROM users LIMIT 1) AS first ORDER BY 1`;
}

const NAMES = `INSERT INTO login_names (login_name, sub)
  SELECT name, sub FROM (SELECT username AS name, sub FROM users UNION ALL SELECT email, sub FROM users
    UNION ALL SELECT phone_number, sub FROM users) AS names WHERE true ORDER BY 1 ON CONFLICT DO NOTHING`;
const PASSWORDS = `INSERT INTO credentials (sub, id, kind, data, created_at)
  SELECT sub, 'password', 'password', password_hash, updated_at FROM users WHERE password_hash IS NOT NULL ORDER BY 1
  ON CONFLICT DO NOTHING`;
const INDEX = 'CREATE INDEX login_names_by_user ON login_names (sub)';

function growSqlite(path: string, count: number): void {
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  db.function('sub_of', { deterministic: true }, number => subOf(Number(number)));
  db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; DROP INDEX login_names_by_user');
  const series = `WITH RECURSIVE series (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM series WHERE n + 1 < ${count})`;
  for (const step of [usersOf(series, 'sub_of(n)', "printf('%07d', n)"), PASSWORDS, NAMES, INDEX]) db.exec(step);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}

async function growPostgres(url: string, count: number): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  // That every name has its user need not be looked up fifteen million times.
  await client.query(`SET synchronous_commit = off; SET session_replication_role = replica; SET work_mem = '256MB';
    SET maintenance_work_mem = '512MB'; DROP INDEX login_names_by_user`);
  const encoded = `translate(encode(sha256(('user-' || n)::bytea), 'base64'), E'+/=\\n', '-_')`;
  const series = `WITH series AS (SELECT generate_series(1, ${count - 1}) AS n)`;
  const users = usersOf(series, `left(${encoded}, 22)`, "lpad(n::text, 7, '0')");
  for (const step of [users, PASSWORDS, NAMES, INDEX, 'VACUUM ANALYZE', 'CHECKPOINT']) await client.query(step);
  await client.end();
}
