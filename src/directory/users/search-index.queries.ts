import { lookedUp } from '../../platform/store/postgres/statement.ts';
import type { Row } from '../../platform/store/row.ts';
import { optional } from '../../platform/store/row.ts';
import { among, FOR_UPDATE, listed, perStore, type Query, sql } from '../../platform/store/sql.ts';
import {
  type BulkRow,
  type BulkTable,
  type ColdDatabase,
  rowsOf,
  runAll,
  type Steps,
} from '../../platform/store/steps.ts';
import { toStandardClaims } from './rows.store.ts';
import { markOf, type Named, searchableText } from './search.rules.ts';
import { hexOf, SEGMENT, segmentOf } from './search-places.rules.ts';

/** New users in bulk: they wait for their place. */
export const WAITING: BulkTable = { name: 'user_places', columns: { sub: 'text', mark: 'bigint' } };

export function toWaitingRow(user: Named & { readonly sub: string }): BulkRow {
  return [user.sub, markOf(searchableText(user))];
}

/** In the transaction that creates users, or changes what they are called: they wait for another place. */
export function noteUsers(users: readonly (Named & { readonly sub: string })[], now: number): Query[] {
  if (users.length === 0) return [];
  const rows = users.map(user => JSON.stringify(toWaitingRow(user)));
  return [
    leave(
      users.map(({ sub }) => sub),
      now,
    ),
    sql`INSERT INTO user_places (sub, mark) SELECT ${member(0)}, CAST(${member(1)} AS bigint) FROM ${listed(rows)} WHERE true
      ON CONFLICT (sub) DO UPDATE SET place = NULL, mark = excluded.mark`,
  ];
}

export function forgetUsers(subs: readonly string[], now: number): Query[] {
  return [leave(subs, now), sql`DELETE FROM user_places WHERE sub ${among(subs)}`];
}

/** The lists of their segments keep them until the job writes these anew. */
function leave(subs: readonly string[], now: number): Query {
  return sql`UPDATE user_segments SET stale_since = ${now} WHERE stale_since IS NULL AND segment IN
    (SELECT place / ${segmentSize} FROM user_places WHERE sub ${among(subs)} AND place IS NOT NULL)`;
}

const segmentSize = perStore(String(SEGMENT), String(SEGMENT));

/** A member of a list that is one of the `listed` texts. */
function member(index: 0 | 1 | 2) {
  return perStore(`value ->> ${index}`, `(value::json ->> ${index})`);
}

/** Where the index ends, and where the look at all users is. */
export interface Progress {
  readonly nextPlace: number;
  /** All users up to this one were looked at; undefined: nobody is looking. */
  readonly walkedTo: string | undefined;
  readonly walkEndedAt: number;
}

const PROGRESS = sql`SELECT next_place, walked_to, walk_ended_at FROM user_search`;

/** Undefined: another process works on the index. Two that do are safe, and do the same twice. */
export async function takeTurn(db: ColdDatabase, now: number, until: number): Promise<Progress | undefined> {
  await db.write(sql`INSERT INTO user_search (id) VALUES (1) ON CONFLICT (id) DO NOTHING`);
  const [row] = await db.write(
    sql`UPDATE user_search SET turn_until = ${until} WHERE turn_until <= ${now} RETURNING next_place, walked_to, walk_ended_at`,
  );
  return row && toProgress(row);
}

export async function keepTurn(db: ColdDatabase, until: number): Promise<Progress> {
  await db.write(sql`UPDATE user_search SET turn_until = ${until}`);
  return toProgress((await db.read(PROGRESS))[0] as Row);
}

function toProgress(row: Row): Progress {
  return {
    nextPlace: Number(row.next_place),
    walkedTo: optional(row.walked_to ?? null) ?? undefined,
    walkEndedAt: Number(row.walk_ended_at),
  };
}

export interface Indexed extends Named {
  readonly sub: string;
  readonly mark: number | undefined;
  readonly place: number | undefined;
}

const NAMED = sql`u.sub, u.username, u.email, u.phone_number, u.standard_claims, p.mark, p.place`;

/** By the key, also while PostgreSQL has a plan from when the table was small. */
const placeOfUser = perStore(
  'user_places p ON p.sub = u.sub',
  `${lookedUp('SELECT mark, place FROM user_places WHERE sub = u.sub')} AS p ON true`,
);

function toIndexed(row: Row): Indexed {
  return {
    sub: row.sub as string,
    username: row.username as string,
    email: optional(row.email ?? null) ?? undefined,
    phoneNumber: optional(row.phone_number ?? null) ?? undefined,
    standardClaims: toStandardClaims(row.standard_claims as string | null),
    mark: row.mark === null ? undefined : Number(row.mark),
    place: row.place === null ? undefined : Number(row.place),
  };
}

export async function waitingUsers(db: ColdDatabase, after: string, limit: number): Promise<readonly Indexed[]> {
  const rows = await db.read(sql`SELECT ${NAMED} FROM user_places p JOIN users u ON u.sub = p.sub
    WHERE p.place IS NULL AND p.sub > ${after} ORDER BY p.sub LIMIT ${limit}`);
  return rows.map(toIndexed);
}

export async function usersFrom(db: ColdDatabase, after: string, limit: number): Promise<readonly Indexed[]> {
  const rows = await db.read(sql`SELECT ${NAMED} FROM users u LEFT JOIN ${placeOfUser}
    WHERE u.sub > ${after} ORDER BY u.sub LIMIT ${limit}`);
  return rows.map(toIndexed);
}

export async function usersOfSegment(
  db: ColdDatabase,
  segment: number,
  after: number,
  limit: number,
): Promise<readonly Indexed[]> {
  const rows = await db.read(sql`SELECT ${NAMED} FROM user_places p JOIN users u ON u.sub = p.sub
    WHERE p.place > ${after} AND p.place < ${(segment + 1) * SEGMENT} ORDER BY p.place LIMIT ${limit}`);
  return rows.map(toIndexed);
}

/** The ordinals of each gram. */
export type Lists = ReadonlyMap<string, readonly number[]>;

/** So many rows are short enough a write for the requests that wait beside it. */
const ROWS_AT_ONCE = 125;

/**
 * Adds to the lists of a segment, in many writes. What a crash leaves of them names places that nobody has yet: each candidate is compared
 * with the user. `instead`: the lists take the place of what was there.
 */
export async function writeLists(
  db: ColdDatabase,
  { nextPlace }: Progress,
  segment: number,
  lists: Lists,
  { instead = false } = {},
): Promise<boolean> {
  const rows = [...lists].map(([gram, ordinals]) => JSON.stringify([gram, hexOf(ordinals)]));
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const write = writeRows(segment, rows.slice(at, at + ROWS_AT_ONCE), instead);
    if (!(await unlessMoved(db, nextPlace, () => runAll([write])))) return false;
  }
  return true;
}

function writeRows(segment: number, rows: readonly string[], instead: boolean): Query {
  const bytes = perStore('unhex(value ->> 1)', "decode(value::json ->> 1, 'hex')");
  const more = perStore(
    'CAST(user_grams.ordinals || excluded.ordinals AS BLOB)',
    'user_grams.ordinals || excluded.ordinals',
  );
  return sql`INSERT INTO user_grams (gram, segment, ordinals)
    SELECT ${member(0)}, ${perStore(String(segment), String(segment))}, ${bytes} FROM ${listed(rows)} WHERE true
    ON CONFLICT (gram, segment) DO UPDATE SET ordinals = ${instead ? sql`excluded.ordinals` : sql`${more}`}`;
}

/** False: another process has added to the index meanwhile, so nothing was written. */
function unlessMoved(db: ColdDatabase, nextPlace: number, work: () => Steps<unknown>): Promise<boolean> {
  return db.transaction(function* () {
    const [row] = yield* rowsOf(sql`SELECT 1 FROM user_search WHERE next_place = ${nextPlace} ${FOR_UPDATE}`);
    if (row === undefined) return false;
    yield* work();
    return true;
  });
}

/**
 * Gives the users the places from `nextPlace` on. Who has changed since they were read keeps waiting. By the key of the table, whatever the
 * statistics of PostgreSQL say: a join would read a table that has just grown from one end to the other.
 */
export function settle(
  db: ColdDatabase,
  { nextPlace }: Pick<Progress, 'nextPlace'>,
  users: readonly Indexed[],
): Promise<boolean> {
  const rows = users.map(({ sub, mark }, index) => JSON.stringify([sub, mark, nextPlace + index]));
  return unlessMoved(db, nextPlace, () =>
    runAll([
      sql`UPDATE user_search SET next_place = ${nextPlace + users.length}`,
      sql`INSERT INTO user_segments (segment) VALUES (${segmentOf(nextPlace)}) ON CONFLICT (segment) DO NOTHING`,
      sql`INSERT INTO user_places (sub, mark, place)
        SELECT ${member(0)}, CAST(${member(1)} AS bigint), CAST(${member(2)} AS bigint) FROM ${listed(rows)} WHERE true
        ON CONFLICT (sub) DO UPDATE SET place = excluded.place
        WHERE user_places.place IS NULL AND user_places.mark = excluded.mark`,
    ]),
  );
}

/** Those after `after`, up to `last`, that no user has any more. A release that does not know the index has deleted them. */
export async function forgetDeleted(
  db: ColdDatabase,
  after: string,
  last: string | undefined,
  now: number,
): Promise<void> {
  const bound = last === undefined ? sql`true` : sql`p.sub <= ${last}`;
  const rows = await db.read(sql`SELECT p.sub FROM user_places p WHERE p.sub > ${after} AND ${bound}
    AND (SELECT count(*) FROM users u WHERE u.sub = p.sub) = 0 LIMIT 1000`);
  if (rows.length === 0) return;
  await db.transaction(() =>
    runAll(
      forgetUsers(
        rows.map(({ sub }) => sub as string),
        now,
      ),
    ),
  );
}

export async function recordWalk(db: ColdDatabase, walkedTo: string | undefined, endedAt: number): Promise<void> {
  await db.write(sql`UPDATE user_search SET walked_to = ${walkedTo ?? null}, walk_ended_at = ${endedAt}`);
}

/** The one that has been stale for longest, and at least since then. It counts as renewed from now on. */
export async function takeStaleSegment(db: ColdDatabase, since: number): Promise<number | undefined> {
  const [row] = await db.write(sql`UPDATE user_segments SET stale_since = NULL WHERE segment =
    (SELECT segment FROM user_segments WHERE stale_since <= ${since} ORDER BY stale_since, segment LIMIT 1) RETURNING segment`);
  return row && Number(row.segment);
}

/** They wait for another place: the segment has become too empty for its lists. */
export async function vacate(db: ColdDatabase, segment: number): Promise<void> {
  await db.write(sql`UPDATE user_places SET place = NULL
    WHERE place >= ${segment * SEGMENT} AND place < ${(segment + 1) * SEGMENT}`);
}

/** Deletes the lists of all other grams. */
export async function keepLists(db: ColdDatabase, { nextPlace }: Progress, segment: number, lists: Lists) {
  const rows = await db.read(sql`SELECT gram FROM user_grams WHERE segment = ${segment}`);
  const gone = rows.map(({ gram }) => gram as string).filter(gram => !lists.has(gram));
  for (let at = 0; at < gone.length; at += ROWS_AT_ONCE) {
    const some = gone.slice(at, at + ROWS_AT_ONCE);
    const remove = sql`DELETE FROM user_grams WHERE segment = ${segment} AND gram ${among(some)}`;
    await unlessMoved(db, nextPlace, () => runAll([remove]));
  }
}
