import { actOnce } from '../../audit/acts/queries.ts';
import { addFirstKey } from '../../oauth/signing-keys/queries.ts';
import { optional, type Row } from '../../platform/store/row.ts';
import { among, BYTEWISE, perStore, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, type OwnSteps, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import { clientFromRow } from '../clients/rows.store.ts';
import { DEFINITIONS_POSTGRES, DEFINITIONS_SQLITE } from '../user-attributes/rows.store.ts';
import { putApplication, putClient } from './put.queries.ts';
import { removeClient } from './queries.ts';
import { removeDeletedApplications } from './removal.queries.ts';
import { settingsFromRow } from './rows.store.ts';
import type { Applications, ApplicationWrite, ClientWrite, StoredApplication } from './store.ts';

type ColdRegistry = Pick<
  Applications,
  | 'findStoredApplication'
  | 'findLogo'
  | 'listApplications'
  | 'changeApplication'
  | 'removeDeletedApplications'
  | 'listClients'
  | 'searchClients'
  | 'changeClient'
>;

/** Where a text is in another, from 1; 0 if it is not. */
const POSITION = perStore('instr', 'strpos');

function contains(column: Query, text: string): Query {
  return sql`${POSITION}(lower(${column}), lower(${text})) > 0`;
}

const DEFINITIONS = perStore(DEFINITIONS_SQLITE, DEFINITIONS_POSTGRES);

/** The column has JSON as text. */
const CLIENT_NAME = perStore(`c.metadata ->> 'client_name'`, `c.metadata::json ->> 'client_name'`);

/** What operators do with applications and clients: lists, and changes that are decided on the current row. */
export function coldRegistry(db: ColdDatabase): ColdRegistry {
  return {
    findStoredApplication: async code => {
      const [row] = await db.read(
        sql`SELECT code, name, settings, logo, deleted_at, ${DEFINITIONS} AS user_attributes FROM applications WHERE code = ${code}`,
      );
      return row && toStoredApplication(row);
    },
    findLogo: async app => {
      const [row] = await db.read(sql`SELECT logo FROM applications WHERE code = ${app} AND deleted_at IS NULL`);
      return row && optional(row.logo);
    },
    listApplications: async ({ after, limit, among: codes, deleted, search }) => {
      const has = (column: Query) => contains(column, search ?? '');
      const page = sql`SELECT code, name, settings, deleted_at FROM applications
        WHERE code ${BYTEWISE} > ${after ?? ''} AND (deleted_at IS NOT NULL) = ${deleted}
          ${codes ? sql`AND code ${among(codes)}` : sql``}
          ${search === undefined ? sql`` : sql`AND (${has(sql`code`)} OR ${has(sql`name`)})`}
        ORDER BY code ${BYTEWISE} LIMIT ${limit}`;
      return (await db.read(page)).map(toStoredApplication);
    },
    changeApplication: (code, decide) =>
      actOnce(db, {
        lock: db.own.lockRegistry,
        *work() {
          const [row] = yield* rowsOf(applicationRow(code));
          const { result, write } = decide(row && toStoredApplication(row));
          if (write) yield* writeApplication(db.own, write.value);
          return { result, act: write?.act };
        },
      }),
    removeDeletedApplications: time => removeDeletedApplications(db, time),
    listClients: async (app, { after, limit }) => {
      const page = sql`SELECT client_id, secret_hash, metadata FROM clients
        WHERE app = ${app} AND client_id ${BYTEWISE} > ${after ?? ''} ORDER BY client_id ${BYTEWISE} LIMIT ${limit}`;
      return (await db.read(page)).map(clientFromRow);
    },
    searchClients: async ({ text, among: codes, limit }) => {
      const found = await db.read(sql`SELECT c.app, c.client_id, c.secret_hash, c.metadata FROM clients c
        JOIN applications a ON a.code = c.app AND a.deleted_at IS NULL
        WHERE (${contains(sql`c.client_id`, text)} OR ${contains(sql`${CLIENT_NAME}`, text)})
          ${codes ? sql`AND c.app ${among(codes)}` : sql``}
        ORDER BY c.client_id ${BYTEWISE}, c.app ${BYTEWISE} LIMIT ${limit}`);
      return found.map(row => ({ app: String(row.app), client: clientFromRow(row) }));
    },
    changeClient: (app, clientId, decide) =>
      actOnce(db, {
        lock: db.own.lockRegistry,
        *work() {
          const [row] = yield* rowsOf(clientRow(app, clientId));
          const { result, write } = decide(row && clientFromRow(row));
          if (write) yield* writeClient(db.own, app, clientId, write.value);
          return { result, act: write?.act };
        },
      }),
  };
}

/** Without the definitions of users' fields, which belong to the deployment. */
export function applicationRow(code: string): Query {
  return sql`SELECT code, name, settings, logo, deleted_at FROM applications WHERE code = ${code}`;
}

export function clientRow(app: string, clientId: string): Query {
  return sql`SELECT client_id, secret_hash, metadata FROM clients WHERE app = ${app} AND client_id = ${clientId}`;
}

function* writeApplication(own: OwnSteps, { application, deletedAt, keys }: ApplicationWrite): Steps<void> {
  yield* runAll([
    putApplication(application),
    sql`UPDATE applications SET deleted_at = ${deletedAt ?? null} WHERE code = ${application.code}`,
  ]);
  for (const key of keys) yield* addFirstKey(key);
  yield* own.registryChanged();
}

function* writeClient(own: OwnSteps, app: string, clientId: string, write: ClientWrite): Steps<void> {
  if (write.kind === 'delete') yield* removeClient(own, app, clientId, write.now);
  else {
    yield* runAll(putClient(app, write.client));
    for (const key of write.keys) yield* addFirstKey(key);
  }
  yield* own.registryChanged();
}

export function toStoredApplication(row: Row): StoredApplication {
  return { application: settingsFromRow(row), deletedAt: (row.deleted_at as number | null) ?? undefined };
}
