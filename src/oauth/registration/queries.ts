import { actOnce } from '../../audit/acts/queries.ts';
import { recordEvent } from '../../audit/events/queries.ts';
import { putClient, TOLD_IN_FRAMES } from '../../directory/applications/put.queries.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { optionalNumber, type Row } from '../../platform/store/row.ts';
import { advisoryLock, among, type Query, SKIP_LOCKED, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, type OwnSteps, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import type {
  ClientRegistration,
  ClientRegistrations,
  ClientUse,
  InitialAccessToken,
  NewInitialAccessToken,
  NewRegistration,
} from './store.ts';

/** Evicted at once, so that a flood of registrations does not delete one for each that it adds. */
const EVICTED = 100;
const REGISTRATION_LOCK = 7591;

/** New clients wait for each other, so that the count holds. */
function lockCount(): Steps<readonly Row[]> {
  return rowsOf(sql`SELECT ${advisoryLock(REGISTRATION_LOCK)}`);
}

const TOKEN_COLUMNS = sql`id, name, created_at, expires_at`;

/** A client that is new needs no `registryChanged`, unless it is told in a frame: caches hold only what they found. */
export function coldClientRegistrations(db: ColdDatabase): Omit<ClientRegistrations, 'removeUnusedClients'> {
  return {
    noteClientUse: (app, client, use) => db.transaction(() => noteUse(db.own, app, client, use)),
    registerClient: (app, { client, tokenHash, createdAt, maxClients, unusedSince, event, deleted }) =>
      db.transaction(function* () {
        yield* lockCount();
        // A lost connection after the commit: the transaction is run again.
        if (yield* isKnown(app, client.client_id)) return 'registered';
        if ((yield* count(app)) >= maxClients) yield* evictUnused(db.own, app, unusedSince, deleted);
        if ((yield* count(app)) >= maxClients) return 'full';
        yield* announceTold(db.own, app, client);
        yield* runAll([
          ...putClient(app, client),
          insertRegistration(app, client.client_id, tokenHash, createdAt, null),
          recordEvent(event),
        ]);
        return 'registered';
      }),
    findRegistration: async (app, clientId) => {
      const [row] = await db.read(ofClient(app, clientId));
      return row && toRegistration(row);
    },
    listInitialAccessTokens: async (app, { after, limit }) => {
      const page = sql`SELECT ${TOKEN_COLUMNS} FROM initial_access_tokens
        WHERE app = ${app} AND id > ${after ?? ''} ORDER BY id LIMIT ${limit}`;
      return (await db.read(page)).map(toToken);
    },
    findInitialAccessToken: async (app, hash, now) => {
      const found = sql`SELECT ${TOKEN_COLUMNS} FROM initial_access_tokens
        WHERE token_hash = ${hash} AND app = ${app} AND (expires_at IS NULL OR expires_at > ${now})`;
      const [row] = await db.read(found);
      return row && toToken(row);
    },
    changeInitialAccessToken: (app, id, decide) =>
      actOnce(db, {
        lock: db.own.lockRegistry,
        *work() {
          const one = sql`WHERE app = ${app} AND id = ${id}`;
          const [row] = yield* rowsOf(sql`SELECT ${TOKEN_COLUMNS} FROM initial_access_tokens ${one}`);
          const { result, write } = decide(row && toToken(row));
          if (write)
            yield* rowsOf(write.value ? insertToken(app, write.value) : sql`DELETE FROM initial_access_tokens ${one}`);
          return { result, act: write?.act };
        },
      }),
  };
}

function* noteUse(
  own: OwnSteps,
  app: string,
  client: Client,
  { now, maxClients, created }: ClientUse,
): Steps<'noted' | 'full'> {
  const { client_id: clientId, origin } = client;
  const used = sql`UPDATE client_registrations SET used_at = ${now} WHERE app = ${app} AND client_id = ${clientId}`;
  // A registered client has its row; if it was deleted meanwhile, it stays so.
  if (origin !== 'client_id_metadata') {
    yield* rowsOf(used);
    return 'noted';
  }
  if (!(yield* isKnown(app, clientId))) {
    yield* lockCount();
    // Another first user may have stored it meanwhile.
    if (!(yield* isKnown(app, clientId)) && (yield* count(app)) >= maxClients) return 'full';
  }
  yield* announceTold(own, app, client);
  const inserted = insertRegistration(app, clientId, null, now, now);
  const rows = yield* runAll([...putClient(app, client), used, sql`${inserted} RETURNING client_id`]);
  // Only the row tells who was first: it may also have been deleted since it was found.
  if (rows.at(-1)?.length === 1) yield* rowsOf(recordEvent(created));
  return 'noted';
}

/** Caches also hold that no client of the deployment is told of a sign-out in a frame (`isAnyToldInFrames`), which this one ends. */
function* announceTold(own: OwnSteps, app: string, client: Client): Steps<void> {
  if (client.frontchannel_logout_uri === undefined) return;
  const stored = sql`SELECT 1 FROM clients WHERE app = ${app} AND client_id = ${client.client_id} AND ${TOLD_IN_FRAMES}`;
  if ((yield* rowsOf(stored)).length === 0) yield* own.registryChanged();
}

function ofClient(app: string, clientId: string): Query {
  return sql`SELECT token_hash, created_at, used_at FROM client_registrations
    WHERE app = ${app} AND client_id = ${clientId}`;
}

function* isKnown(app: string, clientId: string): Steps<boolean> {
  return (yield* rowsOf(ofClient(app, clientId))).length > 0;
}

function* count(app: string): Steps<number> {
  const [row] = yield* rowsOf(sql`SELECT count(*) AS clients FROM client_registrations WHERE app = ${app}`);
  return Number(row?.clients);
}

/** They were never used, so nothing refers to them. */
function* evictUnused(
  own: OwnSteps,
  app: string,
  unusedSince: number,
  deleted: NewRegistration['deleted'],
): Steps<void> {
  const unused = sql`SELECT client_id FROM client_registrations
    WHERE app = ${app} AND used_at IS NULL AND created_at < ${unusedSince} ORDER BY created_at LIMIT ${EVICTED}`;
  // A full application without any must not make every registration wait for the changes of operators.
  if ((yield* rowsOf(unused)).length === 0) return;
  yield* own.lockRegistry();
  // Locked before their clients are deleted: one whose first user is noted at this moment is passed over.
  const rows = yield* rowsOf(sql`${unused} ${SKIP_LOCKED}`);
  const ids = rows.map(row => row.client_id as string);
  const evicted = yield* rowsOf(
    sql`DELETE FROM clients WHERE app = ${app} AND client_id ${among(ids)} RETURNING client_id`,
  );
  yield* runAll(evicted.map(row => recordEvent(deleted(app, row.client_id as string))));
  yield* own.registryChanged();
}

function insertRegistration(
  app: string,
  clientId: string,
  tokenHash: Uint8Array | null,
  createdAt: number,
  usedAt: number | null,
): Query {
  return sql`INSERT INTO client_registrations (app, client_id, token_hash, created_at, used_at)
    VALUES (${app}, ${clientId}, ${tokenHash}, ${createdAt}, ${usedAt}) ON CONFLICT DO NOTHING`;
}

function toRegistration({ token_hash, created_at, used_at }: Row): ClientRegistration {
  return {
    tokenHash: (token_hash as Uint8Array | null) ?? undefined,
    createdAt: Number(created_at),
    usedAt: optionalNumber(used_at),
  };
}

function insertToken(app: string, { id, name, hash, createdAt, expiresAt }: NewInitialAccessToken): Query {
  return sql`INSERT INTO initial_access_tokens (app, id, name, token_hash, created_at, expires_at)
    VALUES (${app}, ${id}, ${name}, ${hash}, ${createdAt}, ${expiresAt ?? null})`;
}

function toToken({ id, name, created_at, expires_at }: Row): InitialAccessToken {
  return {
    id: id as string,
    name: name as string,
    createdAt: Number(created_at),
    expiresAt: optionalNumber(expires_at),
  };
}
