import type { Applications } from '../applications.ts';
import { clientOfEntry, type Row, toApplication, toSecretUse } from '../rows.ts';
import type { Database } from './connection/database.ts';
import { prepareRevokeCodes } from './revoke-codes.ts';

export function applications(db: Database): Applications {
  const findApplication = db.prepare('SELECT code, name, settings FROM applications WHERE code = ?');
  const findClient = db.prepare('SELECT client_id, secret_hash, metadata FROM clients WHERE app = ? AND client_id = ?');
  const clients = db.prepare('SELECT client_id, secret_hash, metadata FROM clients WHERE app = ? ORDER BY client_id');
  const findOrigin = db.prepare('SELECT 1 FROM client_origins WHERE app = ? AND origin = ? LIMIT 1');
  const version = db.prepare('SELECT version FROM registry_version');
  const grow = db.prepare('UPDATE registry_version SET version = version + 1');
  const anything = db.prepare('SELECT EXISTS (SELECT 1 FROM applications) OR EXISTS (SELECT 1 FROM users) AS found');
  const secrets = db.prepare(
    `SELECT id, sum(key) AS signing_keys, sum(client) AS client_secrets FROM (
       SELECT lower(hex(substr(sealed_private_key, 1, 4))) AS id, 1 AS key, 0 AS client FROM signing_keys
       UNION ALL SELECT substr(secret_hash, 1, 8), 0, 1 FROM clients WHERE secret_hash IS NOT NULL
     ) GROUP BY id ORDER BY id`,
  );
  const codes = db.prepare('SELECT code FROM applications ORDER BY code');
  const dropClient = db.prepare('DELETE FROM clients WHERE app = ? AND client_id = ?');
  const revokeGrants = db.prepare(
    'UPDATE grants SET revoked_at = ? WHERE app = ? AND client_id = ? AND revoked_at IS NULL',
  );
  const revokeCodes = prepareRevokeCodes(db, 'app = ? AND client_id = ?');
  const forgetConsents = db.prepare('DELETE FROM consents WHERE app = ? AND client_id = ?');
  const forgetSessions = db.prepare('DELETE FROM session_clients WHERE app = ? AND client_id = ?');

  return {
    findApplication: code => db.read(() => toApplication(findApplication.get(code) as Row | undefined)),
    findClient: (app, clientId) =>
      db.read(() => {
        const row = findClient.get(app, clientId) as Row | undefined;
        return row && clientOfEntry(row);
      }),
    clientsOf: app => db.read(() => (clients.all(app) as Row[]).map(clientOfEntry)),
    isClientOrigin: (app, origin) => db.read(() => findOrigin.get(app, origin) !== undefined),
    // Another process on the same file has no way to call: the version tells.
    onRegistryChange: () => {},
    registryVersion: () => db.read(() => version.get()?.version as number),
    isEmpty: () => db.read(() => anything.get()?.found === 0),
    secretsInUse: () => db.read(() => (secrets.all() as Row[]).map(toSecretUse)),
    applicationCodes: () => db.read(() => codes.all().map(row => row.code as string)),
    deleteClient: (app, clientId, now) =>
      db.write(() => {
        if (dropClient.run(app, clientId).changes === 0) return false;
        revokeGrants.run(now, app, clientId);
        revokeCodes(now, app, clientId);
        forgetConsents.run(app, clientId);
        forgetSessions.run(app, clientId);
        grow.run();
        return true;
      }),
  };
}
