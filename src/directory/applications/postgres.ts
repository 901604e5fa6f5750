import type { Database } from '../../platform/store/postgres/database.ts';
import type { DatabaseClock } from '../../platform/store/postgres/database-clock.ts';
import type { Listener } from '../../platform/store/postgres/listener.ts';
import { statement } from '../../platform/store/postgres/statement.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import { clientFromRow } from '../clients/rows.store.ts';
import { DEFINITIONS_POSTGRES } from '../user-attributes/rows.store.ts';
import { coldApplications } from './queries.ts';
import { coldRegistry } from './registry.queries.ts';
import { applicationFromRow } from './rows.store.ts';
import type { Applications } from './store.ts';

const FIND_APPLICATION = statement(
  `SELECT code, name, settings, logo_hash, ${DEFINITIONS_POSTGRES} AS user_attributes
     FROM applications WHERE code = $1 AND deleted_at IS NULL`,
);
const FIND_CLIENT = statement('SELECT client_id, secret_hash, metadata FROM clients WHERE app = $1 AND client_id = $2');
const FIND_ORIGIN = statement('SELECT 1 FROM client_origins WHERE app = $1 AND origin = $2 LIMIT 1');
const VERSION = statement(
  'SELECT version, extract(epoch FROM clock_timestamp())::float8 AS seconds FROM registry_version',
);

export function applications(db: Database, cold: ColdDatabase, clock: DatabaseClock, listener: Listener): Applications {
  return {
    ...coldApplications(cold),
    ...coldRegistry(cold),
    findApplication: async code => applicationFromRow((await db.read(FIND_APPLICATION, [code]))[0]),
    findClient: async (app, clientId) => {
      const [row] = await db.read(FIND_CLIENT, [app, clientId]);
      return row && clientFromRow(row);
    },
    isClientOrigin: async (app, origin) => (await db.read(FIND_ORIGIN, [app, origin])).length > 0,
    registryVersion: async () => {
      const startedAt = performance.now();
      const [row] = await db.read(VERSION);
      clock.set(row?.seconds as number, startedAt);
      return row?.version as number;
    },
    onRegistryChange: call => listener.onChange(call),
  };
}
