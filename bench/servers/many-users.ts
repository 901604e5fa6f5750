/** Millions of users in the store of Gatehouse, by statements of the database: each with a password and three login names. */
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { openStore } from '../../src/store/open-store.ts';
import { databaseUrl, GATEHOUSE, type Place, storeAddress } from './place.ts';

const TABLES = ['users', 'login_names', 'credentials'];
const HASH = `$argon2id$v=19$m=19456,t=2,p=1$${'s'.repeat(22)}$${'h'.repeat(43)}`;

export async function seedUsers(place: Place, count: number): Promise<void> {
  const address = storeAddress(place, GATEHOUSE);
  await (await openStore(address, {})).close();
  if (place.postgres) await seedPostgres(databaseUrl(place.postgres, GATEHOUSE), count);
  else if (address.kind === 'sqlite') seedSqlite(address.path, count);
}

/** From the table seed, with the number n, the name and the sub of each user. */
const INSERTS = [
  `INSERT INTO users (sub, username, nickname, email, email_verified, phone_number, phone_number_verified, disabled, updated_at)
   SELECT sub, name, 'Nick', name || '@example.com', TRUE, '+86138' || n, FALSE, FALSE, 1800000000 FROM seed ORDER BY sub`,
  `INSERT INTO login_names (login_name, sub) SELECT login_name, sub FROM (
     SELECT name AS login_name, sub FROM seed UNION ALL SELECT name || '@example.com', sub FROM seed
     UNION ALL SELECT '+86138' || n, sub FROM seed) AS names ORDER BY login_name`,
  `INSERT INTO credentials (sub, id, kind, data, created_at)
   SELECT sub, 'password', 'password', '${HASH}', 1800000000 FROM seed ORDER BY sub`,
];

/** Indexes are made after the rows, and triggers come back, as the schema has them. */
function seedSqlite(path: string, count: number): void {
  const db = new DatabaseSync(path);
  db.exec(
    'PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; PRAGMA temp_store = FILE',
  );
  const parts = db
    .prepare(
      `SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL
       AND tbl_name IN (${TABLES.map(() => '?').join(', ')})`,
    )
    .all(...TABLES);
  for (const { type, name } of parts) db.exec(`DROP ${type} ${name}`);
  db.exec(`CREATE TEMP TABLE seed (n INTEGER PRIMARY KEY, name TEXT, sub TEXT)`);
  db.prepare(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
     INSERT INTO seed SELECT n, lower(hex(randomblob(3))) || '.' || n, lower(hex(randomblob(11))) FROM numbers`,
  ).run(count);
  for (const insert of INSERTS) db.exec(insert);
  for (const { sql } of parts) db.exec(String(sql));
  db.exec('DROP TABLE seed; PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}

async function seedPostgres(url: string, count: number): Promise<void> {
  const db = new Client({ connectionString: url });
  await db.connect();
  await db.query("SET synchronous_commit = off; SET maintenance_work_mem = '512MB'; SET work_mem = '256MB'");
  const { rows: indexes } = await db.query(
    `SELECT indexname, indexdef FROM pg_indexes WHERE tablename = ANY ($1) AND indexname NOT LIKE '%_pkey'`,
    [TABLES],
  );
  for (const { indexname } of indexes) await db.query(`DROP INDEX ${indexname}`);
  for (const table of TABLES) await db.query(`ALTER TABLE ${table} DISABLE TRIGGER ALL`);
  await db.query(`CREATE TEMP TABLE seed AS
    SELECT n, substr(md5(n::text), 1, 6) || '.' || n AS name, substr(md5('sub' || n), 1, 22) AS sub
    FROM generate_series(1, ${count}) AS n`);
  for (const insert of INSERTS) await db.query(insert);
  for (const { indexdef } of indexes) await db.query(indexdef);
  for (const table of TABLES) await db.query(`ALTER TABLE ${table} ENABLE TRIGGER ALL`);
  await db.query('DROP TABLE seed; ANALYZE');
  await db.end();
}
