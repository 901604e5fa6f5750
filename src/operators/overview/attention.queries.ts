import { clientFromRow } from '../../directory/clients/rows.store.ts';
import { among, BYTEWISE, perStore, type Query, sql } from '../../platform/store/sql.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import type { CheckedClient } from './store.ts';

/** Whose applications are looked at; undefined: those of all. */
type Apps = readonly string[] | undefined;

const OF = perStore('instr', 'strpos');

/** The text of a column of JSON, in which a quote inside of a value is written with a backslash. */
const inMetadata = (text: string) => sql`${OF}(metadata, ${text}) > 0`;
const inSettings = (text: string) => sql`${OF}(settings, ${text}) > 0`;

const ADMITS_NOBODY = '"access":{"groups":[],"roles":[],"users":[]}';
const ADMITS_GROUPS = '"access":{"groups":["';

/**
 * Those who may be usable by nobody, of all clients: the rules decide, this leaves out what they never name, so that a limit of rows
 * is one of such clients. It reads the text as it is stored, because taking JSON apart would cost ten times as much.
 */
export async function doubtfulClients(db: ColdDatabase, apps: Apps, limit: number): Promise<CheckedClient[]> {
  const isMachine = sql`(${inMetadata('"client_credentials"')} OR ${inMetadata('grant-type:')} OR ${inMetadata('"password"')})`;
  const hasNoGrant = sql`${inMetadata('"grant_types":[]')} OR ${inMetadata('"grant_types":["refresh_token"]')}`;
  const hasNoWayBack = sql`${inMetadata('"redirect_uris":[]')} AND NOT ${isMachine}`;
  const isClosed = sql`${inSettings(ADMITS_NOBODY)} AND NOT ${inMetadata('"client_credentials"')}`;
  return clients(db, apps, sql`${hasNoGrant} OR (${hasNoWayBack}) OR (${isClosed})`, limit);
}

/** Each could have the secret of a document. */
export async function clientsWithSecret(db: ColdDatabase, apps: Apps, limit: number): Promise<CheckedClient[]> {
  return clients(db, apps, sql`secret_hash IS NOT NULL`, limit);
}

async function clients(db: ColdDatabase, apps: Apps, condition: Query, limit: number): Promise<CheckedClient[]> {
  const rows = await db.read(sql`SELECT app, client_id, secret_hash, metadata
    FROM clients JOIN applications ON code = app AND deleted_at IS NULL ${ownOf(apps)}
    WHERE ${condition} ORDER BY app ${BYTEWISE}, client_id ${BYTEWISE} LIMIT ${limit}`);
  return rows.map(row => ({ app: row.app as string, client: clientFromRow(row) }));
}

function ownOf(apps: Apps): Query {
  return apps === undefined ? sql`` : sql`AND code ${among(apps)}`;
}

/** The codes of applications that admit groups. */
export async function applicationsForGroups(db: ColdDatabase, apps: Apps, limit: number): Promise<string[]> {
  const rows = await db.read(sql`SELECT code FROM applications
    WHERE deleted_at IS NULL ${ownOf(apps)} AND ${inSettings(ADMITS_GROUPS)} ORDER BY code ${BYTEWISE} LIMIT ${limit}`);
  return rows.map(({ code }) => code as string);
}

const GROUPS_OF = perStore(
  "json_each(membership, '$.groups')",
  "jsonb_array_elements_text(membership::jsonb -> 'groups')",
);

/** Every group that has a member. Undefined: there are more users than `maxUsers`, who are not all read. */
export async function groupsWithMembers(db: ColdDatabase, maxUsers: number): Promise<Set<string> | undefined> {
  const first = sql`SELECT membership FROM users LIMIT ${maxUsers + 1}`;
  const [counted] = await db.read(sql`SELECT count(*) AS users FROM (${first}) AS counted`);
  if (Number(counted?.users) > maxUsers) return undefined;
  const rows = await db.read(sql`SELECT DISTINCT listed.value AS name FROM (${first}) AS members
    CROSS JOIN ${GROUPS_OF} AS listed${perStore('', '(value)')} WHERE membership IS NOT NULL`);
  return new Set(rows.map(({ name }) => name as string));
}
