import { after } from 'node:test';
import { Client } from 'pg';
import { onCitus } from '../build/citus.ts';
import type { Opened, OpenStore } from './contract/given.ts';

/**
 * Stores on PostgreSQL that are emptied for the next test instead of removed: a new database, and the connections to it, take longer than
 * most tests. Called at the top of a file, at whose end they are removed.
 */
export function recycled(open: OpenStore): OpenStore {
  const all: Recyclable[] = [];
  const free: Recyclable[] = [];
  after(() => Promise.all(all.map(one => one.remove())));
  const make = async () => {
    const made = await recyclable(await open());
    all.push(made);
    return made;
  };
  return async () => {
    const one = free.pop() ?? (await make());
    const discard = async () => {
      await one.empty();
      free.push(one);
    };
    return { ...one.forOneTest(), discard };
  };
}

interface Recyclable {
  /** A test may open the same data several times. */
  forOneTest(): Omit<Opened, 'discard'>;
  empty(): Promise<void>;
  remove(): Promise<void>;
}

async function recyclable({ store, url, another, discard }: Opened): Promise<Recyclable> {
  const second = once(another);
  const connection = new Client({ connectionString: url });
  await connection.connect();
  const emptying = await preparedToEmpty(connection);
  return {
    forOneTest() {
      let isSecondInUse = false;
      const next = () => {
        if (isSecondInUse) return another();
        isSecondInUse = true;
        return second();
      };
      return { store, url, another: next };
    },
    empty: async () => void (await connection.query(emptying)),
    async remove() {
      await connection.end();
      await discard();
    },
  };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const SEQUENTIAL = 'SET citus.multi_shard_modify_mode = sequential';

/** A store goes on from what it has read of them. */
const KEPT = ['schema_migrations', 'registry_version'];

const TABLES = `SELECT relname FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    AND relname <> ALL ($1) AND relname NOT LIKE 'pg\\_dist\\_%'`;

/**
 * A function of this connection plans each statement once: planning all of them took 25 ms for every test. Citus plans what is in a
 * function by other rules.
 */
async function preparedToEmpty(connection: Client): Promise<string> {
  const statements = await statementsToEmpty(connection);
  if (onCitus) return statements.join(';\n');
  const [setting, ...emptying] = statements;
  await connection.query(`${setting};
    CREATE FUNCTION pg_temp.empty() RETURNS void LANGUAGE plpgsql AS $function$ BEGIN ${emptying.join(';\n')}; END $function$`);
  return 'SELECT pg_temp.empty()';
}

/** They run as one transaction. Not TRUNCATE, which makes a new file for every table and index. */
async function statementsToEmpty(connection: Client): Promise<string[]> {
  const { rows } = await connection.query(TABLES, [KEPT]);
  const tables: string[] = rows.map(({ relname }) => connection.escapeIdentifier(relname));
  const restored: string[] = [];
  for (const table of tables) restored.push(...(await insertsOfPresent(connection, table)));
  // Rows without their triggers; on Citus, tables of both kinds in one transaction.
  const settings = ['SET session_replication_role = replica', ...(onCitus ? [SEQUENTIAL] : [])];
  return [...settings, ...tables.map(table => `DELETE FROM ${table}`), ...restored];
}

/** Some tables have a row from the start. */
async function insertsOfPresent(connection: Client, table: string): Promise<string[]> {
  const { rows } = await connection.query(`SELECT json_agg(present)::text AS present FROM ${table} AS present`);
  const [{ present }] = rows;
  if (present === null) return [];
  const values = connection.escapeLiteral(present);
  return [`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, ${values})`];
}
