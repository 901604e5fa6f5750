import type { Client } from 'pg';
import { StoreMisconfigured } from '../faults.ts';
import { sqlState } from './faults.ts';
import { PLAN_SETTINGS, requestSettings, type SessionSettings, timeoutSettings } from './session-settings.ts';

const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * The settings of requests as defaults of this role in this database: connections through a pooler by transaction cannot SET them.
 * Runs on a direct connection, under the lock of the migrations: two nodes that changed a role at the same time would get an error.
 */
export async function setRoleSettings(client: Client, timeoutMs: number): Promise<void> {
  const { rows } = await client.query(
    `SELECT current_user AS role, current_database() AS database, (
       SELECT setconfig FROM pg_db_role_setting WHERE setrole = (SELECT oid FROM pg_roles WHERE rolname = current_user)
         AND setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())) AS present`,
  );
  const { role, database, present } = rows[0];
  const wanted = Object.entries(requestSettings(timeoutMs)).filter(
    ([name, value]) => !present?.includes(`${name}=${value}`),
  );
  const statements = wanted.map(
    ([name, value]) =>
      `ALTER ROLE ${client.escapeIdentifier(role)} IN DATABASE ${client.escapeIdentifier(database)} SET ${name} = ${value};`,
  );
  if (statements.length === 0) return;
  try {
    await client.query(statements.join(' '));
  } catch (error) {
    if (sqlState(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new StoreMisconfigured(
      `the role may not change its own settings, which a pooler by transaction needs. As an administrator, run: ${statements.join(' ')}`,
    );
  }
}

/**
 * The names of settings that the server connection behind this client does not have from the role. Timeouts may be those of
 * another DATABASE_TIMEOUT, until the pooler has replaced its connections; plans have to be right.
 */
export async function missingRoleSettings(client: Client): Promise<string[]> {
  const timeouts = timeoutSettings(1);
  const names = Object.keys({ ...timeouts, ...PLAN_SETTINGS });
  // With a pause, so that clients that ask at the same time ask different connections of the pool.
  const { rows } = await client.query(
    `SELECT name, setting FROM pg_settings, (SELECT pg_sleep(0.02)) AS paused WHERE name IN (${names.map(name => `'${name}'`)})`,
  );
  const present: SessionSettings = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
  return names.filter(name => (name in timeouts ? present[name] === '0' : present[name] !== PLAN_SETTINGS[name]));
}
