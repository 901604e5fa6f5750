import { APP, delegated } from '../../platform/store/citus/delegated.ts';
import type { Columns } from '../../platform/store/postgres/statement.ts';

/** Revoking on the worker of the application: the same as in tokens.ts, grants.ts and token-exchanges.ts, step by step. */

/** Deletes the tokens that `hashes` were exchanged for, and those that these were exchanged for. */
const DROP_DERIVED = `
  WHILE cardinality(hashes) > 0 LOOP
    SELECT coalesce(array_agg(token_hash), '{}') INTO hashes FROM token_exchanges
      WHERE app = ${APP} AND subject_hash = ANY (hashes);
    DELETE FROM access_tokens WHERE app = ${APP} AND token_hash = ANY (hashes);
  END LOOP;`;

export const revokeAccess = delegated({
  name: 'revoke_access',
  values: { hash: 'bytea', client_id: 'text' },
  rows: { n: 'bigint', done: 'boolean', subject: 'text' },
  variables: ['gone record', 'hashes bytea[]'],
  body: {
    each: `
    DELETE FROM access_tokens WHERE app = ${APP} AND token_hash = r.hash AND client_id = r.client_id
      RETURNING sub INTO gone;
    CONTINUE WHEN NOT FOUND;
    hashes := ARRAY[r.hash];
    ${DROP_DERIVED}
    RETURN QUERY SELECT r.n, true, gone.sub;`,
  },
});

export const dropExchangedOfClient = delegated({
  name: 'drop_exchanged_of_client',
  values: { client_id: 'text' },
  rows: { n: 'bigint' },
  variables: ['hashes bytea[]'],
  body: {
    each: `
    SELECT coalesce(array_agg(token_hash), '{}') INTO hashes FROM token_exchanges
      WHERE app = ${APP} AND client_id = r.client_id;
    DELETE FROM access_tokens WHERE app = ${APP} AND token_hash = ANY (hashes);
    ${DROP_DERIVED}
    RETURN QUERY SELECT r.n;`,
  },
});

/** Revokes the grant that `find` puts into `the_grant`. */
const revokeGrant = (name: string, values: Columns, find: string, condition = '') =>
  delegated({
    name,
    values,
    rows: { n: 'bigint', done: 'boolean', subject: 'text' },
    variables: ['the_grant text', 'gone record'],
    body: {
      each: `
      ${find}
      UPDATE grants SET revoked_at = r.now WHERE app = ${APP} AND grant_id = the_grant AND revoked_at IS NULL ${condition}
        RETURNING expires_at, sub INTO gone;
      CONTINUE WHEN NOT FOUND;
      INSERT INTO revoked_grants (app, grant_id, expires_at) VALUES (${APP}, the_grant, gone.expires_at)
        ON CONFLICT DO NOTHING;
      RETURN QUERY SELECT r.n, true, gone.sub;`,
    },
  });

export const revokeReplayed = revokeGrant(
  'revoke_replayed',
  { grant_id: 'text', now: 'bigint' },
  'the_grant := r.grant_id;',
);
export const revokeFamily = revokeGrant(
  'revoke_family',
  { client_id: 'text', hash: 'bytea', now: 'bigint' },
  `SELECT grant_id INTO the_grant FROM refresh_tokens WHERE app = ${APP} AND token_hash = r.hash;`,
  'AND client_id = r.client_id',
);
