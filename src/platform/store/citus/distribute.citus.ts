import type { Client } from 'pg';
import { StoreMisconfigured } from '../faults.ts';
import { PLANNER_SETTINGS } from '../postgres/session-settings.ts';
import { APP } from './delegated.ts';
import { delegatedFunctions } from './functions.citus.ts';
import { COLOCATED_WITH, type DistributedPlacement, type Placements } from './placement.ts';

/** How long a start waits for the workers' planner settings. */
const CONFIGURE_MS = 2000;

/** The mode is confirmed by a setting: a cluster that is taken for one server, or the other way round, would fail request by request. */
export async function confirmMode(client: Client, isCitus: boolean): Promise<void> {
  const recognised = await hasCitus(client);
  if (recognised && !isCitus) {
    throw new StoreMisconfigured(
      'the database has the extension citus: set GATEHOUSE_CITUS=true on every node, and `gatehouse migrate` distributes the tables',
    );
  }
  if (isCitus && !recognised) {
    throw new StoreMisconfigured(
      'GATEHOUSE_CITUS is true, and the database has no extension citus: DATABASE_URL must lead to the coordinator, where CREATE EXTENSION citus was run',
    );
  }
}

export async function hasCitus(client: Pick<Client, 'query'>): Promise<boolean> {
  const { rows } = await client.query("SELECT 1 FROM pg_extension WHERE extname = 'citus'");
  return rows.length > 0;
}

/**
 * Places the tables that are not placed yet and creates the functions of this release. Runs under the lock of the migrations. Where
 * nothing is missing, no worker is needed.
 */
export async function distribute(client: Client, placements: Placements): Promise<string[]> {
  // Data moves with its table, and no request waits for the rows of a new one.
  await client.query('SET lock_timeout = 0; SET client_min_messages = warning');
  const notes = await configureNodes(client);
  await dropTriggers(client);
  notes.push(...(await bringHome(client, placements)), ...(await placeTables(client, placements)));
  for (const each of delegatedFunctions) await createFunction(client, each);
  return notes;
}

/**
 * The settings of our connections do not reach the connections between the nodes of the cluster. Citus tells its workers, all of which
 * must be reachable then: so nothing is set where nothing is missing, and a worker that is down gets them after it is back.
 */
async function configureNodes(client: Client): Promise<string[]> {
  const changes = Object.entries(PLANNER_SETTINGS).map(
    ([name, value]) => `EXECUTE format('ALTER DATABASE %I SET ${name} = ${value}', current_database());`,
  );
  try {
    await client.query(`SET statement_timeout = ${CONFIGURE_MS}`);
    if (await areConfigured(client)) return [];
    await client.query(`DO $do$ BEGIN ${changes.join(' ')} END $do$`);
    return [];
  } catch (error) {
    return [`citus: the planner settings of the workers wait for the next start (${(error as Error).message})`];
  } finally {
    await client.query('SET statement_timeout = 0');
  }
}

async function areConfigured(client: Client): Promise<boolean> {
  const wanted = Object.entries(PLANNER_SETTINGS).map(([name, value]) => `${name}=${value}`);
  const count = `SELECT count(*) FROM pg_db_role_setting, unnest(setconfig) AS present WHERE setrole = 0
    AND setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND present IN (${wanted.map(each => `'${each}'`).join(', ')})`;
  const { rows } = await client.query('SELECT success, result FROM run_command_on_workers($1)', [count]);
  return rows.every(({ success, result }) => success && Number(result) === wanted.length);
}

/**
 * The triggers that keep `users.password_hash` and the credential equal: Citus distributes no table with triggers. New users are
 * written with their credential there (directory/users/insert.queries.ts).
 */
async function dropTriggers(client: Client): Promise<void> {
  const { rows } = await client.query(
    `SELECT tgname AS name, tgrelid::regclass AS "table" FROM pg_trigger
     WHERE NOT tgisinternal AND tgrelid IN (to_regclass('users'), to_regclass('credentials'))`,
  );
  for (const { name, table } of rows) await client.query(`DROP TRIGGER ${name} ON ${table}`);
}

/** Tables that an earlier release placed on the workers, and their rows. Nobody can use such a table while it moves. */
async function bringHome(client: Client, placements: Placements): Promise<string[]> {
  const { rows } = await client.query(
    `SELECT logicalrelid::regclass::text AS name FROM pg_dist_partition WHERE partmethod <> 'n' OR repmodel = 't'`,
  );
  const moved = rows.map(row => row.name as string).filter(table => placements[table] === 'coordinator');
  for (const table of moved) await inTransaction(client, () => moveHome(client, table));
  return moved.map(table => `citus: ${table}, on the coordinator`);
}

/** Citus moves no table with foreign keys alone, so it has none meanwhile. */
async function moveHome(client: Client, table: string): Promise<void> {
  const { rows } = await client.query(
    `SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE conrelid = $1::regclass AND contype = 'f'`,
    [table],
  );
  for (const { name } of rows) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  await client.query('SELECT undistribute_table($1)', [table]);
  for (const { name, definition } of rows)
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
}

async function placeTables(client: Client, placements: Placements): Promise<string[]> {
  const { rows } = await client.query(
    `SELECT relation::text AS name FROM pg_dist_partition, LATERAL (SELECT logicalrelid::regclass) AS known (relation)
     WHERE NOT autoconverted`,
  );
  const placed = new Set(rows.map(row => row.name));
  const added: string[] = [];
  for (const [table, placement] of Object.entries(placements)) {
    if (placed.has(table) || placement === 'coordinator') continue;
    if (placement === 'reference') await client.query('SELECT create_reference_table($1)', [table]);
    else await client.query(...distributed(table, placement));
    added.push(`citus: ${table}, ${placement === 'reference' ? 'a reference table' : `by ${placement.by}`}`);
  }
  // Statements that change distributed tables write events too.
  if (!placed.has('events')) await client.query("SELECT citus_add_local_table_to_metadata('events')");
  return added;
}

function distributed(table: string, { by, colocateWith = 'none' }: DistributedPlacement): [string, string[]] {
  return ['SELECT create_distributed_table($1, $2, colocate_with => $3)', [table, by, colocateWith]];
}

async function createFunction(
  client: Client,
  { create, signature }: { readonly create: string; readonly signature: string },
): Promise<void> {
  const { rows } = await client.query('SELECT to_regprocedure($1) IS NOT NULL AS exists', [signature]);
  if (rows[0].exists) return;
  await inTransaction(client, async () => {
    await client.query(create);
    // force_delegation: the function runs on its worker also inside a transaction that has taken advisory locks on the coordinator.
    await client.query('SELECT create_distributed_function($1, $2, colocate_with => $3, force_delegation => true)', [
      signature,
      APP,
      COLOCATED_WITH,
    ]);
  });
}

async function inTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN');
  try {
    await work();
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}
