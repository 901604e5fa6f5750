import { clientFromRow } from '../../directory/clients/rows.store.ts';
import { among, BYTEWISE, perStore, type Query, sql } from '../../platform/store/sql.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import type { DatabaseFacts, NewestKey, Node, Status } from './store.ts';

const FACTS = perStore(
  `SELECT 'sqlite' AS kind, sqlite_version() AS version, page_count * page_size AS size_bytes, user_version AS migration
    FROM pragma_page_count(), pragma_page_size(), pragma_user_version()`,
  `SELECT 'postgres' AS kind, current_setting('server_version') AS version,
    pg_database_size(current_database()) AS size_bytes, (SELECT max(number) FROM schema_migrations) AS migration`,
);

export function coldStatus(db: ColdDatabase): Status {
  return {
    noteNode: async ({ host, port, version, startedAt, seenAt }) => {
      await db.write(sql`INSERT INTO nodes (host, port, version, started_at, seen_at)
        VALUES (${host}, ${port}, ${version}, ${startedAt}, ${seenAt})
        ON CONFLICT (host, port) DO UPDATE
          SET version = excluded.version, started_at = excluded.started_at, seen_at = excluded.seen_at`);
    },
    removeNode: async ({ host, port, startedAt }) => {
      await db.write(sql`DELETE FROM nodes WHERE host = ${host} AND port = ${port} AND started_at = ${startedAt}`);
    },
    listNodes: async limit => {
      const nodes = sql`SELECT host, port, version, started_at, seen_at FROM nodes
        ORDER BY seen_at DESC, host ${BYTEWISE}, port LIMIT ${limit}`;
      return (await db.read(nodes)).map(
        ({ host, port, version, started_at: startedAt, seen_at: seenAt }) =>
          ({ host, port, version, startedAt, seenAt }) as unknown as Node,
      );
    },
    replaceOwnerLink: async (tokenHash, expiresAt) => {
      await db.write(sql`INSERT INTO owner_link (id, token_hash, expires_at) VALUES (1, ${tokenHash}, ${expiresAt})
        ON CONFLICT (id) DO UPDATE SET token_hash = excluded.token_hash, expires_at = excluded.expires_at`);
    },
    isOwnerLink: async (tokenHash, now) => {
      const found = sql`SELECT 1 FROM owner_link WHERE token_hash = ${tokenHash} AND expires_at > ${now}`;
      return (await db.read(found)).length > 0;
    },
    describeDatabase: async () => {
      const [row] = await db.read(sql`${FACTS}`);
      const { kind, version, size_bytes: sizeBytes, migration } = row ?? {};
      return { kind, version, sizeBytes, migration } as unknown as DatabaseFacts;
    },
    queueLengths: async limit => {
      const count = (rows: Query) => sql`(SELECT count(*) FROM (${rows} LIMIT ${limit}) AS waiting)`;
      const lengths = sql`SELECT ${count(sql`SELECT 1 FROM logout_notices`)} AS logout_notices,
        ${count(sql`SELECT 1 FROM webhook_deliveries WHERE finished_at IS NULL`)} AS webhook_deliveries,
        ${count(sql`SELECT 1 FROM events WHERE seq IS NULL`)} AS unsealed_events,
        ${count(sql`SELECT 1 FROM mails`)} AS mails`;
      const [row] = await db.read(lengths);
      return {
        logoutNotices: Number(row?.logout_notices),
        webhookDeliveries: Number(row?.webhook_deliveries),
        unsealedEvents: Number(row?.unsealed_events),
        mails: Number(row?.mails),
      };
    },
    newestKeysBefore: async (time, limit) => {
      const keys = sql`SELECT app, alg, max(sign_from) AS sign_from
        FROM signing_keys JOIN applications ON code = app AND deleted_at IS NULL
        WHERE retired_at IS NULL GROUP BY app, alg HAVING max(sign_from) < ${time}
        ORDER BY max(sign_from), app ${BYTEWISE}, alg LIMIT ${limit}`;
      return (await db.read(keys)).map(
        ({ app, alg, sign_from: signFrom }) => ({ app, alg, signFrom }) as unknown as NewestKey,
      );
    },
    operatorsWithSingleFactor: async limit => {
      const names = sql`SELECT users.sub, username FROM operators JOIN users ON users.sub = operators.sub
        WHERE NOT disabled AND NOT require_mfa AND NOT EXISTS (
          SELECT 1 FROM credentials WHERE credentials.sub = operators.sub AND kind IN ('totp', 'passkey'))
        ORDER BY username ${BYTEWISE} LIMIT ${limit}`;
      return (await db.read(names)).map(({ sub, username }) => ({ sub: sub as string, username: username as string }));
    },
    firstClients: async (apps, limit) => {
      const own = apps === undefined ? sql`` : sql`AND app ${among(apps)}`;
      const clients = sql`SELECT app, client_id, secret_hash, metadata
        FROM clients JOIN applications ON code = app AND deleted_at IS NULL ${own}
        ORDER BY app ${BYTEWISE}, client_id ${BYTEWISE} LIMIT ${limit}`;
      return (await db.read(clients)).map(row => ({ app: row.app as string, client: clientFromRow(row) }));
    },
  };
}
