import { setTimeout as pause } from 'node:timers/promises';
import { APPLICATION, among, BYTEWISE, FOR_UPDATE, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import type { Membership } from '../access/rules.ts';
import { fromMembership } from '../users/rows.store.ts';

const USERS_AT_ONCE = 500;
/** Requests come before. */
const PAUSE_MS = 20;

/**
 * With everything that refers to the application by its code, which may become that of somebody else's application. Roles of users first: if
 * this process ends meanwhile, the application is still there for the next one to remove.
 */
export async function removeDeletedApplications(db: ColdDatabase, time: number): Promise<string[]> {
  const deleted = sql`SELECT code FROM applications WHERE deleted_at < ${time}`;
  for (const { code } of await db.read(deleted)) await removeRoles(db, code as string);
  return db.erasingTransaction(function* () {
    yield* db.own.lockRegistry();
    const codes = (yield* rowsOf(deleted)).map(({ code }) => code as string);
    if (codes.length === 0) return codes;
    yield* runAll(tablesOfApplication.map(table => sql`DELETE FROM ${table} WHERE ${APPLICATION} ${among(codes)}`));
    yield* removeFromLimits(sql`api_keys`, sql`id`, codes);
    yield* removeFromLimits(sql`operators`, sql`sub`, codes);
    yield* rowsOf(sql`DELETE FROM applications WHERE code ${among(codes)}`);
    yield* db.own.registryChanged();
    return codes;
  });
}

/** A limit that names no application any more stays one: without it, the operator could change all. */
function* removeFromLimits(table: Query, key: Query, codes: readonly string[]): Steps<void> {
  const limited = yield* rowsOf(
    sql`SELECT ${key} AS key, applications FROM ${table} WHERE applications IS NOT NULL ORDER BY ${key} ${FOR_UPDATE}`,
  );
  const limits = limited.map(row => ({
    of: row.key as string,
    all: JSON.parse(row.applications as string) as string[],
  }));
  yield* runAll(
    limits
      .filter(({ all }) => all.some(code => codes.includes(code)))
      .map(({ of, all }) => {
        const left = JSON.stringify(all.filter(code => !codes.includes(code)));
        return sql`UPDATE ${table} SET applications = ${left} WHERE ${key} = ${of}`;
      }),
  );
}

async function removeRoles(db: ColdDatabase, code: string): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    after = await removeSomeRoles(db, code, after);
    if (after !== undefined) await pause(PAUSE_MS);
  }
}

/** Of some users after this one. Returns the last of them; undefined: there are no more. */
function removeSomeRoles(db: ColdDatabase, code: string, after: string): Promise<string | undefined> {
  return db.longTransaction(function* (): Steps<string | undefined> {
    const rows = yield* rowsOf(sql`SELECT sub, membership FROM users
      WHERE sub ${BYTEWISE} > ${after} AND membership LIKE ${`%"${code.replaceAll('_', '!_')}":%`} ESCAPE '!'
      ORDER BY sub ${BYTEWISE} LIMIT ${USERS_AT_ONCE} ${FOR_UPDATE}`);
    yield* runAll(
      rows.map(({ sub, membership }) => {
        const left = fromMembership(withoutRoles(code, JSON.parse(membership as string)));
        return sql`UPDATE users SET membership = ${left} WHERE sub = ${sub as string}`;
      }),
    );
    return rows.length < USERS_AT_ONCE ? undefined : (rows.at(-1)?.sub as string);
  });
}

function withoutRoles(code: string, { roles = {}, ...membership }: Membership): Membership {
  const { [code]: _, ...left } = roles;
  return Object.keys(left).length === 0 ? membership : { ...membership, roles: left };
}

/** What an application owns; the events of the audit log stay. */
const tablesOfApplication = [
  sql`access_tokens`,
  sql`token_exchanges`,
  sql`refresh_tokens`,
  sql`codes`,
  sql`grants`,
  sql`revoked_grants`,
  sql`waiting_revocations`,
  sql`consents`,
  sql`session_clients`,
  sql`logout_notices`,
  sql`client_origins`,
  sql`client_registrations`,
  sql`initial_access_tokens`,
  sql`clients`,
  sql`signing_keys`,
  sql`pairwise_salts`,
  sql`refusals`,
  sql`statistics`,
  sql`webhooks`,
];
