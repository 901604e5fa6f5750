import { APPLICATION, BYTEWISE, perStore, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, type OwnSteps, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import { listsUser } from '../access/rules.ts';
import { clientFromRow } from '../clients/rows.store.ts';
import { settingsFromRow, toSecretUse } from './rows.store.ts';
import type { Applications } from './store.ts';

type ColdApplications = Pick<
  Applications,
  'clientsOf' | 'deleteClient' | 'isEmpty' | 'secretsInUse' | 'isNamedInAccess' | 'applicationCodes'
>;

/** The id of the server's secret with which a column was sealed. */
function sealedWith(column: 'sealed_private_key' | 'sealed_secrets') {
  return perStore(`lower(hex(substr(${column}, 1, 4)))`, `encode(substring(${column} FROM 1 FOR 4), 'hex')`);
}

export function coldApplications(db: ColdDatabase): ColdApplications {
  return {
    clientsOf: async app => {
      const clients = sql`SELECT client_id, secret_hash, metadata FROM clients WHERE app = ${app} ORDER BY client_id ${BYTEWISE}`;
      return (await db.read(clients)).map(clientFromRow);
    },
    isEmpty: async () => {
      const [row] = await db.read(
        sql`SELECT EXISTS (SELECT 1 FROM applications) OR EXISTS (SELECT 1 FROM users) AS found`,
      );
      return !row?.found;
    },
    secretsInUse: async () => {
      const used = sql`SELECT id, sum(key) AS signing_keys, sum(client) AS client_secrets, sum(webhook) AS webhook_secrets,
          sum(provider) AS provider_secrets, sum(totp) AS totp_keys FROM (
          SELECT ${sealedWith('sealed_private_key')} AS id, 1 AS key, 0 AS client, 0 AS webhook, 0 AS provider, 0 AS totp
            FROM signing_keys
          UNION ALL SELECT substr(secret_hash, 1, 8), 0, 1, 0, 0, 0 FROM clients WHERE secret_hash IS NOT NULL
          UNION ALL SELECT ${sealedWith('sealed_secrets')}, 0, 0, 1, 0, 0 FROM webhooks
          UNION ALL SELECT ${sealedWith('sealed_secrets')}, 0, 0, 0, 1, 0 FROM providers WHERE sealed_secrets IS NOT NULL
          UNION ALL SELECT substr(data, 1, 8), 0, 0, 0, 0, count(*) FROM credentials WHERE kind = 'totp' GROUP BY substr(data, 1, 8)
        ) AS used GROUP BY id ORDER BY id`;
      return (await db.read(used)).map(toSecretUse);
    },
    isNamedInAccess: async name => {
      // Names are normalised by directory/users/login-name.rules.ts, so the lists are compared here. The pattern finds those that are not empty.
      const lists = sql`SELECT code, name, settings FROM applications WHERE settings LIKE ${'%"users":["%'}`;
      return (await db.read(lists)).some(row => listsUser(settingsFromRow(row), name));
    },
    applicationCodes: async () =>
      (await db.read(sql`SELECT code FROM applications WHERE deleted_at IS NULL ORDER BY code ${BYTEWISE}`)).map(
        ({ code }) => code as string,
      ),
    deleteClient: (app, clientId, now) =>
      db.longTransaction(function* () {
        yield* db.own.lockRegistry();
        if (!(yield* removeClient(db.own, app, clientId, now))) return false;
        yield* db.own.registryChanged();
        return true;
      }),
  };
}

/** Deletes the client and ends its grants and codes. False: there is no such client. */
export function* removeClient(own: OwnSteps, app: string, clientId: string, now: number): Steps<boolean> {
  yield* own.lockClient(app, clientId);
  const ofClient = sql`WHERE app = ${app} AND client_id = ${clientId}`;
  const deleted = yield* rowsOf(sql`DELETE FROM clients ${ofClient} RETURNING 1`);
  if (deleted.length === 0) return false;
  yield* own.endClientAccess(app, clientId, now);
  const ofSessions = sql`DELETE FROM session_clients WHERE ${APPLICATION} = ${app} AND client_id = ${clientId}`;
  yield* runAll([sql`DELETE FROM consents ${ofClient}`, sql`DELETE FROM token_details ${ofClient}`, ofSessions]);
  return true;
}
