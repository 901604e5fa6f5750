import { actAndRecord, actOnCitus, recordWith } from '../../audit/events/postgres.ts';
import type { StoredApp } from '../../platform/store/application-parts.ts';
import type { DelegatedFunction } from '../../platform/store/citus/delegated.ts';
import { partOf } from '../../platform/store/citus/parts.ts';
import { type BatchStatements, batched } from '../../platform/store/postgres/batch.ts';
import type { Database } from '../../platform/store/postgres/database.ts';
import { clientLock, takeLocks, userLock } from '../../platform/store/postgres/locks.ts';
import type { PartitionKey, Partitions } from '../../platform/store/postgres/partitions.ts';
import {
  arrayStatement,
  lookedUp,
  statement,
  type Value,
  withCitusForm,
} from '../../platform/store/postgres/statement.ts';
import { revokeAccess } from '../revoke/citus.ts';
import { DROP_DERIVED_OF_GONE } from '../token-exchange/postgres.ts';
import {
  ACCESS_LOGIN_COLUMNS,
  ACCESS_USER_COLUMNS,
  type AccessLoginRow,
  type AccessUserRow,
  EXPIRES_AT,
  fromAccessLoginRow,
  fromAccessUserRow,
} from './access-rows.store.ts';
import { addGrant } from './citus.ts';
import { ADD_CLIENT_GRANT, clientGrantLock, clientGrantValues, isClientAlone } from './client-grants.postgres.ts';
import {
  callerIsClient,
  familyValues,
  grantEnd,
  hasPassword,
  issueOutcome,
  MAY_GRANT,
  mayGetIn,
  NOT_REVOKED,
  NOTE_CLIENT,
  SELECT_KNOWN,
} from './grants.postgres.ts';
import * as worker from './lookups.citus.ts';
import type { NewTokens, TokenFamily, Tokens } from './store.ts';

/** Grants without a code, access tokens, and what oauth/authorization-code/postgres.ts and oauth/refresh/postgres.ts add to them. */

const ACCESS = byKey(
  `SELECT ${ACCESS_LOGIN_COLUMNS} FROM access_tokens t WHERE $KEY AND ${NOT_REVOKED}`,
  worker.findAccessToken,
);
const ACCESS_WITH_USER = byKey(
  `SELECT ${ACCESS_USER_COLUMNS}
   FROM access_tokens t CROSS JOIN ${lookedUp('SELECT * FROM users WHERE sub = t.sub AND NOT disabled')} AS u
   WHERE $KEY AND ${NOT_REVOKED}`,
  worker.findTokenUser,
);

/** The same lookup for one token and for many. */
function byKey(select: string, onCitus: DelegatedFunction): BatchStatements {
  const where = (app: string, hash: string, caller: string) =>
    select.replace('$KEY', `t.app = ${app} AND t.token_hash = ${hash} AND ${callerIsClient(app, caller)}`);
  return {
    one: arrayStatement(where('$1', '$2', '$3::text')),
    many: withCitusForm(
      arrayStatement(
        `SELECT found.*, k.number
       FROM unnest($1::text[], $2::bytea[], $3::text[]) WITH ORDINALITY AS k (app, hash, caller, number)
       CROSS JOIN LATERAL (${where('k.app', 'k.hash', 'k.caller')} LIMIT 1) AS found`,
      ),
      onCitus,
    ),
  };
}
/** Where the client acts for itself, `sub` is its client_id, and there is no user who may be disabled (subject.rules.ts). */
const ADD_GRANT_PARTS = `WITH noted AS (${NOTE_CLIENT}),
   granted AS (
     INSERT INTO grants (app, client_id, sid, sub, scope, auth_time, amr, claims, resources, grant_id, expires_at,
       started_at)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $13
     WHERE ${MAY_GRANT} AND ($4 = $2 OR (${mayGetIn('$4', '$17')}))
     ON CONFLICT DO NOTHING RETURNING 1
   ),
   access AS (
     INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, claims, issued_at, expires_at,
       auth_time, amr, audience)
     SELECT $1, $12, $10, $2, $4, coalesce($18, $5), CASE WHEN $19::text IS NULL THEN $8 END, $13, $14, $6, $7, $19
     FROM granted
   ),
   refresh AS (
     INSERT INTO refresh_tokens (app, token_hash, grant_id, issued_at, expires_at)
     SELECT $1, $15, $10, $13, $16::bigint FROM granted WHERE $15::bytea IS NOT NULL
   )`;
export const ADD_GRANT = withCitusForm(statement(`${ADD_GRANT_PARTS} ${SELECT_KNOWN}`), addGrant);
const ADD_GRANT_AND_RECORD = statement(
  `${ADD_GRANT_PARTS}, recorded AS (${recordWith('granted', '$20')}) ${SELECT_KNOWN}`,
);
/** On Citus the worker that issues has no credentials. */
const HAS_PASSWORD = statement(`SELECT 1 WHERE ${hasPassword('$1', '$2')}`);
/** As where the user got another password meanwhile on plain PostgreSQL: the tokens of the answer never work. */
const NOTHING_ISSUED = [{ known: true }];
const DROP_ACCESS = 'DELETE FROM access_tokens WHERE app = $1 AND token_hash = $2 AND client_id = $3';
/** A statement of its own: DROP_ACCESS may have waited for an exchange of the token, whose outcome it does not see. */
const followedBy = { statement: DROP_DERIVED_OF_GONE, values: 2 };
const REVOKE_ACCESS = withCitusForm({ ...statement(`${DROP_ACCESS} RETURNING 1`), followedBy }, revokeAccess);
const REVOKE_ACCESS_AND_RECORD = {
  ...statement(`WITH gone AS (${DROP_ACCESS} RETURNING sub) ${recordWith('gone', '$4', 'gone.sub')}`),
  followedBy,
};

/** The values of ADD_GRANT. */
export function grantValues(
  part: StoredApp,
  family: TokenFamily,
  { grantId, issuedAt, access, refresh }: NewTokens,
  passwordHash: string | undefined,
): Value[] {
  const end = grantEnd({ access, refresh });
  const values = [...familyValues(part, family), grantId, end, access.hash, issuedAt, access.expiresAt];
  const target = [access.scope?.join(' ') ?? null, access.audience ?? null];
  return [...values, refresh?.hash ?? null, refresh?.expiresAt ?? null, passwordHash ?? null, ...target];
}

export function placesOf({ access, refresh }: NewTokens): PartitionKey[] {
  const places: PartitionKey[] = [['access_tokens', access.hash]];
  if (refresh) places.push(['refresh_tokens', refresh.hash]);
  return places;
}

/** Checked here and not in the statement: the time of each lookup would be a further array. */
function ifAlive<R extends AccessLoginRow | AccessUserRow, T>(
  read: (row: R) => T,
): (row: R, now: number) => T | undefined {
  return (row, now) => (row[EXPIRES_AT] > now ? read(row) : undefined);
}

export function tokens(db: Database, partitions: Partitions): Tokens {
  const findAccessToken = batched(db, ACCESS, ifAlive(fromAccessLoginRow));
  const findTokenUser = batched(db, ACCESS_WITH_USER, ifAlive(fromAccessUserRow));
  return {
    addTokenFamily: async (app, family, tokens, { passwordHash, event } = {}) => {
      if (!db.isCitus && event === undefined && isClientAlone(family, tokens)) {
        const operation = db.operation();
        const values = clientGrantValues(partOf(db, app, tokens.access.hash), family, tokens);
        const add = () => operation.write(ADD_CLIENT_GRANT, values, clientGrantLock(app, family));
        return issueOutcome(await partitions.writing(operation, placesOf(tokens), add));
      }
      const values = grantValues(partOf(db, app, tokens.access.hash), family, tokens, passwordHash);
      const locks = [userLock(family.sub), clientLock(app, family.clientId)];
      const operation = db.operation();
      const act = { alone: ADD_GRANT, withEvent: ADD_GRANT_AND_RECORD };
      const add = () =>
        db.isCitus && passwordHash !== undefined
          ? operation.transaction(async run => {
              await takeLocks(run, { shared: locks });
              const holds = await run(HAS_PASSWORD, [family.sub, passwordHash]);
              return holds.length > 0 ? actOnCitus(run, ADD_GRANT, values, event) : NOTHING_ISSUED;
            })
          : actAndRecord(operation, act, values, event, ...locks);
      const rows = await partitions.writing(operation, placesOf(tokens), add);
      return issueOutcome(rows);
    },
    findAccessToken: (app, hash, now, caller) => findAccessToken(partOf(db, app, hash), hash, now, caller),
    findTokenUser: (app, hash, now) => findTokenUser(partOf(db, app, hash), hash, now, undefined),
    revokeAccessToken: async (app, hash, clientId, event) => {
      const act = { alone: REVOKE_ACCESS, withEvent: REVOKE_ACCESS_AND_RECORD };
      await actAndRecord(db.operation(), act, [partOf(db, app, hash), hash, clientId], event);
    },
  };
}
