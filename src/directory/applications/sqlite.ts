import type { Row } from '../../platform/store/row.ts';
import type { Database } from '../../platform/store/sqlite/database.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import { clientFromRow } from '../clients/rows.store.ts';
import { DEFINITIONS_SQLITE } from '../user-attributes/rows.store.ts';
import { coldApplications } from './queries.ts';
import { coldRegistry } from './registry.queries.ts';
import { applicationFromRow } from './rows.store.ts';
import type { Applications } from './store.ts';

export function applications(db: Database, cold: ColdDatabase): Applications {
  const findApplication = db.prepare(
    `SELECT code, name, settings, logo_hash, ${DEFINITIONS_SQLITE} AS user_attributes
     FROM applications WHERE code = ? AND deleted_at IS NULL`,
  );
  const findClient = db.prepare('SELECT client_id, secret_hash, metadata FROM clients WHERE app = ? AND client_id = ?');
  const findOrigin = db.prepare('SELECT 1 FROM client_origins WHERE app = ? AND origin = ? LIMIT 1');
  const version = db.prepare('SELECT version FROM registry_version');

  return {
    ...coldApplications(cold),
    ...coldRegistry(cold),
    findApplication: code => db.read(() => applicationFromRow(findApplication.get(code) as Row | undefined)),
    findClient: (app, clientId) =>
      db.read(() => {
        const row = findClient.get(app, clientId) as Row | undefined;
        return row && clientFromRow(row);
      }),
    isClientOrigin: (app, origin) => db.read(() => findOrigin.get(app, origin) !== undefined),
    // SQLite cannot notify another process: processes poll the version instead.
    onRegistryChange: () => {},
    registryVersion: () => db.read(() => version.get()?.version as number),
  };
}
