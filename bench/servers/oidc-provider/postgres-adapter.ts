/**
 * oidc-provider on PostgreSQL as most people would write it: one table with a row for each model and id, the payload as
 * JSON, a pool of ten connections. Statements are prepared, and what a look-up needs is indexed.
 */
import { Pool } from 'pg';

type Payload = Record<string, unknown>;

const TABLE = `
  CREATE TABLE oidc_payloads (
    model       text NOT NULL,
    id          text NOT NULL,
    payload     jsonb NOT NULL,
    grant_id    text,
    uid         text,
    user_code   text,
    expires_at  timestamptz,
    consumed_at timestamptz,
    PRIMARY KEY (model, id)
  );
  CREATE INDEX ON oidc_payloads (grant_id) WHERE grant_id IS NOT NULL`;

const COLUMNS = 'model, id, payload, grant_id, uid, user_code, expires_at';
const UPSERT = `INSERT INTO oidc_payloads (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (model, id) DO UPDATE SET payload = excluded.payload, grant_id = excluded.grant_id, uid = excluded.uid,
    user_code = excluded.user_code, expires_at = excluded.expires_at`;
const SEED = `INSERT INTO oidc_payloads (${COLUMNS})
  SELECT * FROM unnest($1::text[], $2::text[], $3::jsonb[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])`;
const SEED_AT_ONCE = 3000;

type Values = [string, string, string, unknown, unknown, unknown, Date | null];

let pool: Pool;
let seeding: Values[] | undefined;

export async function openPostgres(url: string): Promise<void> {
  pool = new Pool({ connectionString: url, max: 10 });
  await pool.query(TABLE);
}

/** Rows are gathered and written many at a time while `work` runs. */
export async function seedFast(work: () => Promise<void>): Promise<void> {
  seeding = [];
  await work();
  await flush();
  seeding = undefined;
  await pool.query('VACUUM ANALYZE oidc_payloads');
}

async function flush(): Promise<void> {
  const rows = seeding ?? [];
  seeding = [];
  await pool.query(
    SEED,
    Array.from({ length: 7 }, (_, column) => rows.map(row => row[column])),
  );
}

export class PostgresAdapter {
  readonly #model: string;

  constructor(model: string) {
    this.#model = model;
  }

  async upsert(id: string, payload: Payload, expiresIn?: number): Promise<void> {
    const { grantId = null, uid = null, userCode = null } = payload;
    const ends = expiresIn === undefined ? null : new Date(Date.now() + expiresIn * 1000);
    const values: Values = [this.#model, id, JSON.stringify(payload), grantId, uid, userCode, ends];
    if (seeding) {
      if (seeding.push(values) >= SEED_AT_ONCE) await flush();
      return;
    }
    await pool.query({ name: 'upsert', text: UPSERT, values });
  }

  async find(id: string): Promise<Payload | undefined> {
    const text = 'SELECT payload, expires_at, consumed_at FROM oidc_payloads WHERE model = $1 AND id = $2';
    const { rows } = await pool.query({ name: 'find', text, values: [this.#model, id] });
    const [row] = rows;
    if (!row || (row.expires_at && row.expires_at < new Date())) return undefined;
    return row.consumed_at ? { ...row.payload, consumed: row.consumed_at.getTime() / 1000 } : row.payload;
  }

  async consume(id: string): Promise<void> {
    const text = 'UPDATE oidc_payloads SET consumed_at = now() WHERE model = $1 AND id = $2';
    await pool.query({ name: 'consume', text, values: [this.#model, id] });
  }

  async destroy(id: string): Promise<void> {
    const text = 'DELETE FROM oidc_payloads WHERE model = $1 AND id = $2';
    await pool.query({ name: 'destroy', text, values: [this.#model, id] });
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    const text = 'DELETE FROM oidc_payloads WHERE grant_id = $1';
    await pool.query({ name: 'revoke', text, values: [grantId] });
  }

  /** Sessions and device codes play no part here. */
  async findByUid(): Promise<undefined> {}
  async findByUserCode(): Promise<undefined> {}
}
