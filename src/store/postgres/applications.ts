import type { Applications } from '../applications.ts';
import { clientOfEntry, toApplication, toSecretUse } from '../rows.ts';
import type { Database } from './connection/database.ts';
import type { DatabaseClock } from './connection/database-clock.ts';
import type { Listener } from './connection/listener.ts';
import { clientLock, takeLocks } from './connection/locks.ts';
import { statement } from './connection/statement.ts';
import { revokeCodes, revokeGrants } from './grants.ts';
import { GROW, TURN } from './registry-version.ts';

const FIND_APPLICATION = statement('SELECT code, name, settings FROM applications WHERE code = $1');
const FIND_CLIENT = statement('SELECT client_id, secret_hash, metadata FROM clients WHERE app = $1 AND client_id = $2');
const CLIENTS = statement(
  'SELECT client_id, secret_hash, metadata FROM clients WHERE app = $1 ORDER BY client_id COLLATE "C"',
);
const FIND_ORIGIN = statement('SELECT 1 FROM client_origins WHERE app = $1 AND origin = $2 LIMIT 1');
const VERSION = statement(
  'SELECT version, extract(epoch FROM clock_timestamp())::float8 AS seconds FROM registry_version',
);
const ANYTHING = statement('SELECT EXISTS (SELECT 1 FROM applications) OR EXISTS (SELECT 1 FROM users) AS found');
const SECRETS = statement(
  `SELECT id, sum(key)::int AS signing_keys, sum(client)::int AS client_secrets FROM (
     SELECT encode(substring(sealed_private_key FROM 1 FOR 4), 'hex') AS id, 1 AS key, 0 AS client FROM signing_keys
     UNION ALL SELECT left(secret_hash, 8), 0, 1 FROM clients WHERE secret_hash IS NOT NULL
   ) AS used GROUP BY id ORDER BY id`,
);
const CODES = statement('SELECT code FROM applications ORDER BY code');
const DROP_CLIENT = statement('DELETE FROM clients WHERE app = $1 AND client_id = $2 RETURNING 1');
const REVOKE_CODES = revokeCodes('app = $2 AND client_id = $3');
const REVOKE = revokeGrants('app = $2 AND client_id = $3');
const FORGET_CONSENTS = statement('DELETE FROM consents WHERE app = $1 AND client_id = $2');
const FORGET_SESSIONS = statement('DELETE FROM session_clients WHERE app = $1 AND client_id = $2');

export function applications(db: Database, clock: DatabaseClock, listener: Listener): Applications {
  return {
    findApplication: async (code, receivedAt) =>
      toApplication((await db.read(FIND_APPLICATION, [code], receivedAt))[0]),
    findClient: async (app, clientId, receivedAt) => {
      const [row] = await db.read(FIND_CLIENT, [app, clientId], receivedAt);
      return row && clientOfEntry(row);
    },
    clientsOf: async app => (await db.read(CLIENTS, [app])).map(clientOfEntry),
    isClientOrigin: async (app, origin, receivedAt) =>
      (await db.read(FIND_ORIGIN, [app, origin], receivedAt)).length > 0,
    registryVersion: async () => {
      const startedAt = performance.now();
      const [row] = await db.read(VERSION);
      clock.set(row?.seconds as number, startedAt);
      return row?.version as number;
    },
    onRegistryChange: call => listener.onChange(call),
    isEmpty: async () => (await db.read(ANYTHING))[0]?.found === false,
    secretsInUse: async () => (await db.read(SECRETS)).map(toSecretUse),
    applicationCodes: async () => (await db.read(CODES)).map(row => row.code as string),
    deleteClient: (app, clientId, now) =>
      db.longTransaction(async run => {
        await run(TURN);
        await takeLocks(run, { alone: [clientLock(app, clientId)] });
        if ((await run(DROP_CLIENT, [app, clientId])).length === 0) return false;
        await run(REVOKE_CODES, [now, app, clientId]);
        await run(REVOKE, [now, app, clientId]);
        await run(FORGET_CONSENTS, [app, clientId]);
        await run(FORGET_SESSIONS, [app, clientId]);
        await run(GROW);
        return true;
      }),
  };
}
